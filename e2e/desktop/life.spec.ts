import { SCENARIO, lifeOfASession } from "../shared/life-of-a-session";
import { desktopUi } from "../support/desktop-ui";
import { test } from "../support/desktop-test";

test.use({ wishes: { scenario: SCENARIO } });

test("a session lives from its prompt to landed work and back", async ({ desktop, world }) => {
  const driver = await desktop.drive();
  await lifeOfASession(desktopUi(driver), world);
});
