import CLIENT from './client.ts.txt' with { type: 'text' };
import { operationsModule } from './operations.ts';

/**
 * The files of the TypeScript client, by name: the same for every installation of this version. In: the document of the
 * API.
 */
export function sdkFiles(document: object): Readonly<Record<string, string>> {
  return { 'client.ts': CLIENT, 'operations.ts': operationsModule(document) };
}
