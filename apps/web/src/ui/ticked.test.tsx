import { render } from "@testing-library/react";
import { expect, it } from "vitest";

import { Ticked } from "./ticked";

it("shows names as code and leaves a lone tick alone", () => {
  const { container } = render(<Ticked text="`main` is not part of `login`, nor `this" />);
  expect(container).toHaveTextContent("main is not part of login, nor `this");
  expect([...container.querySelectorAll("code")].map((it) => it.textContent)).toEqual(["main", "login"]);
});
