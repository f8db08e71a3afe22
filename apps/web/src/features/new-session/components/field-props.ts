import type { Wire } from "@/api/types";

import type { Draft } from "../model";
import type { Choices } from "../use-choices";

export type FieldProps = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  choices: Choices;
  template: Wire["Template"] | null;
};
