// Makes ready the databases that plica/store is tested on, and says which there are: the suites leave out what cannot be had, and that
// should be seen. Fails without any.

import { openDatabases } from "../tests/support/databases.mjs";
import { fail, main } from "./util.mjs";

await main(() => {
  const databases = openDatabases();
  for (const { name, why } of databases) console.log(`${name.padEnd(15)} ${why ?? "ready"}`);
  if (databases.every(({ why }) => why !== undefined)) fail("there is no database to test plica/store on");
});
