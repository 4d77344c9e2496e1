import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../server/http/openapi.ts';
import { VERSION } from '../server/version.ts';
import { shapeOf, writeShape } from './api-shape.ts';

/**
 * `bun scripts/release-api.ts`: part of every release. Keeps what programs may rely on from it on; the test of breaking
 * changes compares with that. Empty the list of accepted changes in tests/specification/api-changes.ts then.
 */
writeFileSync(
  join(import.meta.dir, '../tests/specification/released-api.txt'),
  writeShape(shapeOf(openApiDocument(VERSION)), VERSION),
);
