import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '#server/http/openapi.ts';
import { sdkFiles } from '#server/sdk/write.ts';
import { VERSION } from '#server/version.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = 'Usage: spawnpoint sdk [DIR]   (without DIR: ./spawnpoint-sdk)';

/**
 * `spawnpoint sdk [DIR]`: writes the TypeScript client of the API into a folder, which is made where it is absent;
 * files of these names are replaced. Needs no installation. Out: the exit code (0 written, 1 it could not be, 2 used
 * wrongly).
 */
export function sdkCommand(argv: readonly string[], terminal: Output = consoleOutput): number {
  const [dir = 'spawnpoint-sdk', ...more] = argv;
  if (more.length > 0 || dir === '' || dir.startsWith('-')) {
    terminal.err(USAGE);
    return 2;
  }
  try {
    mkdirSync(dir, { recursive: true });
    for (const [name, text] of Object.entries(sdkFiles(openApiDocument(VERSION)))) writeFileSync(join(dir, name), text);
  } catch (error) {
    terminal.err(error instanceof Error ? error.message : String(error));
    return 1;
  }
  terminal.out(
    `Wrote the client of version ${VERSION} to ${dir}: import { createSpawnpoint } from '${dir}/client.ts'.`,
  );
  return 0;
}
