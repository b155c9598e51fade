// The element in JSX: `import type {} from "@plica/viewer/react"` anywhere in a project makes `<plica-viewer>` known to it.

import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { Places, PlicaViewer, PlicaViewerEventMap } from "./viewer.js";

/** What `<plica-viewer>` takes, beside what every element takes. */
export interface PlicaViewerAttributes extends HTMLAttributes<PlicaViewer> {
  src?: string | null | undefined;
  ledgerSrc?: string | null | undefined;
  theme?: string | null | undefined;
  places?: Places;
  linkTo?: (item: number) => string;
  "onplica-open"?: ((event: PlicaViewerEventMap["plica-open"]) => void) | undefined;
  "onplica-error"?: ((event: PlicaViewerEventMap["plica-error"]) => void) | undefined;
  "onplica-select"?: ((event: PlicaViewerEventMap["plica-select"]) => void) | undefined;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "plica-viewer": DetailedHTMLProps<PlicaViewerAttributes, PlicaViewer>;
    }
  }
}
