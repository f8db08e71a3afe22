import { SCENARIO, lifeOfASession } from "../shared/life-of-a-session";
import { browserUi } from "../support/browser-ui";
import { test } from "../support/test";

test.use({ wishes: { scenario: SCENARIO } });

test("a session lives from its prompt to landed work and back", async ({ page, world }) => {
  await world.open(page);
  await lifeOfASession(browserUi(page, world), world);
});
