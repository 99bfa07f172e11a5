// Looks at pages of results in a real browser: axe, the keyboard, no JavaScript, requests, the console.
//
// usage: node report_pages.cjs SMALL|FULL FILE…
// Says what is wrong, a line each, and ends with 1 then.
const { pathToFileURL } = require("node:url");
const { launch, everything, done } = require("./looking.cjs");

const [size, ...files] = process.argv.slice(2);

(async () => {
  const browser = await launch();
  for (const file of files) await everything(browser, { url: pathToFileURL(file).href, name: file }, size);
  await browser.close();
  done(files.length);
})();
