// Run by npm before the viewer is packed: dist is what the sources make, and the licences lie in the root.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../www/build.mjs";
import { ROOT } from "./util.mjs";

await build();
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(ROOT, name), join(ROOT, "www", name));
