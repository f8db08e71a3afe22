import type { Session, SessionDetail } from "@/api/types";

import type { Tab } from "../../model";

/** A place on the page of the session. */
export type Place = { tab?: Tab; at?: number; run?: number };

/** What every dialog of a session gets. */
export type DialogProps = {
  session: Session;
  detail: SessionDetail;
  onClose: () => void;
  onShow: (place: Place) => void;
};
