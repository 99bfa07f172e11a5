// Looks at pages in a real browser: axe, the keyboard, no JavaScript, requests, the console.
//
// A page is { url, name, cookies, origin }: requests go to its origin alone, or, without one, nowhere but to the page itself.
// CANDOR_PEERS_CHROMIUM names the browser.
const { chromium } = require("playwright-core");
const axe = require("axe-core");

const wrong = [];

function launch() {
  return chromium.launch({ executablePath: process.env.CANDOR_PEERS_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

function may(target, url) {
  if (url.startsWith("data:")) return true;
  return target.origin ? new URL(url).origin === target.origin : url === target.url;
}

async function open(browser, target, options) {
  const context = await browser.newContext(options);
  if (target.cookies) await context.addCookies(target.cookies);
  const page = await context.newPage();
  page.on("console", (message) => wrong.push(`${target.name}: the console says: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`${target.name}: the script fails: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push(`${target.name}: a dialog says ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!may(target, request.url())) wrong.push(`${target.name}: asks for ${request.url()}`);
  });
  await page.goto(target.url);
  return { context, page };
}

async function looked(page, target, width, colorScheme) {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  const what = `${target.name} at ${width}, ${colorScheme}`;
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (over > 0) wrong.push(`${what}: it is ${over} pixels wider than the window`);
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, nodes } of violations) {
    wrong.push(`${what}: axe, ${id}: ${nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" and ")}`);
  }
}

// By keyboard alone: the first stop leads to the result, every stop is seen, and a criterion opens and closes.
async function keyboard(page, target, most) {
  await page.setViewportSize({ width: 1440, height: 900 });
  // A field that has the focus from the beginning gives it back.
  await page.evaluate(() => { document.activeElement.blur(); window.getSelection().removeAllRanges(); });
  const focused = await page.evaluate(() => document.querySelector("[autofocus]") !== null);
  if (!focused) {
    await page.keyboard.press("Tab");
    const first = await page.evaluate(() => document.activeElement.getAttribute("href"));
    if (first !== "#main") wrong.push(`${target.name}: the first stop of the keyboard is ${first}`);
  }
  const stops = await page.evaluate(() => document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']").length);
  let closed = false;
  for (let at = 0; at < Math.min(stops + 5, most); at++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const one = document.activeElement;
      const box = one.getBoundingClientRect();
      const details = one.localName === "summary" && one.parentElement.matches(".criterion") ? one.parentElement.open : null;
      return { name: one.localName, seen: one === document.body || (box.width > 0 && getComputedStyle(one).outlineStyle !== "none"), details };
    });
    if (!stop.seen) wrong.push(`${target.name}: the keyboard stops at ${stop.name}, and nobody sees it`);
    if (stop.details !== null && !closed) {
      closed = true;
      await page.keyboard.press("Enter");
      const after = await page.evaluate(() => document.activeElement.parentElement.open);
      if (after === stop.details) wrong.push(`${target.name}: Enter does not open or close a criterion`);
    }
  }
}

// Without JavaScript all text is there, and nothing that only a script could serve.
async function withoutScript(browser, target, wanted) {
  const { context, page } = await open(browser, target, { javaScriptEnabled: false });
  if ((await count(page)) !== wanted) wrong.push(`${target.name}: without JavaScript something is missing`);
  const idle = "button[type=button]:visible, form:not([action]):not([method]):visible";
  if (await page.locator(idle).count()) wrong.push(`${target.name}: without JavaScript there are controls that do nothing`);
  const summary = page.locator("details.criterion > summary").first();
  if (await summary.count()) {
    const isOpen = async () => (await page.locator("details.criterion").first().getAttribute("open")) !== null;
    const before = await isOpen();
    await summary.click();
    if ((await isOpen()) === before) wrong.push(`${target.name}: without JavaScript a criterion does not open or close`);
  }
  await context.close();
}

const count = (page) => page.locator("details.criterion, table tbody tr, .changes > li").count();

const times = { keyboard: 0, withoutScript: 0 };

// In small size a page is used by keyboard or without JavaScript, in turn.
async function everything(browser, target, size) {
  const widths = size === "full" ? [320, 768, 1440, 2560] : [320];
  const schemes = size === "full" ? ["light", "dark"] : ["dark"];
  const byKeyboard = size === "full" || times.keyboard <= times.withoutScript;
  const { context, page } = await open(browser, target, {});
  const wanted = await count(page);
  await page.evaluate(axe.source);
  for (const width of widths) for (const scheme of schemes) await looked(page, target, width, scheme);
  if (byKeyboard) {
    times.keyboard += 1;
    await keyboard(page, target, size === "full" ? 300 : 40);
  }
  await context.close();
  if (size === "full" || !byKeyboard) {
    times.withoutScript += 1;
    await withoutScript(browser, target, wanted);
  }
}

function done(count) {
  for (const line of wrong) console.log(line);
  console.log(`${count} pages, ${times.keyboard} by keyboard, ${times.withoutScript} without JavaScript, ${wrong.length} wrong`);
  process.exit(wrong.length ? 1 : 0);
}

module.exports = { wrong, launch, open, everything, done };
