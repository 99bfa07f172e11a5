// The picture at the top of the README: the page of a task run, its verdict and the first criterion.
//
// usage: node screenshot.cjs PAGE PICTURE
// CANDOR_PEERS_CHROMIUM names the browser.
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

(async () => {
  const [file, picture] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: process.env.CANDOR_PEERS_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 }, colorScheme: "light" });
  await page.goto(pathToFileURL(file).href);
  // What is between the verdict and the first message is left out: the picture shows both.
  await page.evaluate(() => {
    for (const one of document.querySelectorAll(".axes, section.summary, .tools, h2, .hero > .more")) one.remove();
    const all = Array.from(document.querySelectorAll("details.criterion"));
    const shown = all.find((one) => one.id === "c-order-sent") ?? all[0];
    for (const one of all) if (one !== shown) one.remove();
    for (const one of shown.querySelectorAll(".more, .nearest")) one.remove();
    document.querySelector("footer").remove();
  });
  const height = await page.evaluate(() => Math.ceil(document.querySelector("main").getBoundingClientRect().bottom) + 24);
  await page.screenshot({ path: picture, clip: { x: 0, y: 0, width: 1200, height } });
  await browser.close();
})();
