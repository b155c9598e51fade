// Run by npm before the package is packed: readme and licences lie in the root, and npm looks for them beside the manifest.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./util.mjs";

for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(ROOT, name), join(ROOT, "pkg", name));
