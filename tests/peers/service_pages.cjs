// Looks at the pages of a service in a real browser, and uses them as a person does who has no JavaScript.
//
// usage: node service_pages.cjs SMALL|FULL SETTINGS [PICTURES]
// SETTINGS is a JSON file: { url, key, run, before, pages: [PATH…], open: [PATH…] }. `open` are pages that need no login. With
// PICTURES, a folder, a picture of every page is written there.
// Says what is wrong, a line each, and ends with 1 then.
const fs = require("node:fs");
const path = require("node:path");
const { wrong, launch, open, everything, done } = require("./looking.cjs");

const [size, file, pictures] = process.argv.slice(2);
const { url, key, run, before, pages, open: withoutLogin } = JSON.parse(fs.readFileSync(file, "utf8"));
const origin = new URL(url).origin;

// The login: a wrong key is told, a right one leads to where the reader wanted to go.
async function login(browser) {
  const target = { url: `${url}/benchmark-runs/${run}?verdict=fail`, name: "login", origin };
  const { context, page } = await open(browser, target, { javaScriptEnabled: false });
  if (!page.url().startsWith(`${url}/login?next=`)) wrong.push(`who is not logged in is at ${page.url()}`);
  const given = async (text) => {
    await page.fill("#key", text);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  };
  await given("ck_wrong_key");
  // What a browser says of the status 401 is no message of ours.
  const said = wrong.findIndex((line) => line.includes("status of 401"));
  if (said >= 0) wrong.splice(said, 1);
  if (!(await page.locator("[role=alert]").innerText()).includes("not valid")) wrong.push("a wrong key is not refused in words");
  await given(key);
  if (page.url() !== target.url) wrong.push(`the login leads to ${page.url()}`);
  const cookies = await context.cookies();
  await context.close();
  const session = cookies.filter((cookie) => cookie.name === "candor_session");
  if (session.length !== 1 || !session[0].httpOnly || session[0].sameSite !== "Strict") wrong.push("the session's cookie is not HttpOnly and SameSite=Strict");
  return cookies;
}

// Filters, pages, a comparison, a share link, deletion and logout, without JavaScript.
async function used(browser, cookies) {
  const { context, page } = await open(browser, { url: `${url}/benchmark-runs/${run}`, name: "use", origin, cookies }, { javaScriptEnabled: false });
  page.setDefaultTimeout(5000);
  await steps(browser, page).catch((error) => wrong.push(`at ${page.url()}: ${error.message}`));
  await context.close();
}

async function steps(browser, page) {
  const rows = () => page.locator("table.matrix tbody tr").count();
  const all = await rows();
  await page.selectOption("form.filters select[name=verdict]", "fail");
  await page.click("form.filters button");
  const failed = await rows();
  if (!(failed > 0 && failed < all)) wrong.push(`filtered by verdict: ${failed} of ${all} rows`);
  if ((await page.inputValue("form.filters select[name=verdict]")) !== "fail") wrong.push("the filter forgets what was chosen");
  if (before) {
    await page.goto(`${url}/benchmark-runs/${run}`);
    await page.selectOption(".manage select[name=before]", before);
    await page.click(".manage form:has(select[name=before]) button");
    if (!(await page.locator("h1").innerText()).includes("compared")) wrong.push("the comparison does not open");
  }
  await page.goto(`${url}/benchmark-runs/${run}`);
  await page.click(".manage form:has(select[name=expires_in]) button");
  const link = (await page.locator("pre.copy").innerText()).trim();
  const stranger = await open(browser, { url: link, name: "shared", origin }, { javaScriptEnabled: false });
  if (await stranger.page.locator("form:not(.filters)").count()) wrong.push("a shared page has forms");
  if (!(await stranger.page.locator("table.matrix tbody tr").count())) wrong.push("a shared page shows no task runs");
  await stranger.page.locator("table.matrix tbody th a").first().click();
  if (!stranger.page.url().includes("task_run=")) wrong.push(`a task run of a shared page is at ${stranger.page.url()}`);
  await stranger.context.close();
  // Deletion asks first.
  await page.goto(`${url}/benchmark-runs/${before || run}`);
  await page.click(".manage details > summary");
  await page.click("button.danger");
  if (!(await page.locator("h1").count()) || !page.url().includes(before || run)) wrong.push("a run is deleted without a confirmation");
  await page.check("input[name=confirm]");
  await page.click("button.danger");
  if (page.url() !== `${url}/benchmark-runs`) wrong.push(`the deletion leads to ${page.url()}`);
  if ((await page.content()).includes(before || run)) wrong.push("a deleted run is listed");
  await page.click("form.logout button");
  if (!page.url().startsWith(`${url}/login`)) wrong.push(`the logout leads to ${page.url()}`);
  await page.goto(`${url}/benchmark-runs`);
  if (!page.url().startsWith(`${url}/login`)) wrong.push("a session that was ended still opens pages");
}

// The beginning and the end of a page, at every width, and as it is printed.
async function pictured(browser, target) {
  const name = target.name.replace(/[^a-z0-9]+/gi, "-").slice(1, 60);
  for (const [width, colorScheme, media] of [[320, "light"], [768, "dark"], [1440, "light"], [2560, "light"], [800, "light", "print"]]) {
    const { context, page } = await open(browser, target, { viewport: { width, height: 900 }, colorScheme });
    await page.emulateMedia({ media: media || "screen" });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const most = Math.min(height, Math.round(width * 1.4));
    const shot = (part, y) => page.screenshot({ path: path.join(pictures, `${name}-${width}-${media || colorScheme}-${part}.png`), fullPage: true, clip: { x: 0, y, width, height: most } });
    await shot("a", 0);
    if (height > most) await shot("b", height - most);
    await context.close();
  }
}

(async () => {
  const browser = await launch();
  const cookies = await login(browser);
  const targets = [
    ...withoutLogin.map((path) => ({ url: url + path, name: path, origin })),
    ...pages.map((path) => ({ url: url + path, name: path, origin, cookies })),
  ];
  for (const target of targets) {
    if (pictures) await pictured(browser, target);
    else await everything(browser, target, size);
  }
  if (!pictures) await used(browser, cookies);
  await browser.close();
  done(targets.length);
})();
