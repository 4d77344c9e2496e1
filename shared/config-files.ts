import * as z from 'zod/mini';
import { filePath } from './schemas/server-files.ts';

/** Parsers of configuration files that eggs name. */
export const CONFIG_PARSERS = ['properties', 'ini', 'json', 'yaml', 'xml', 'file'] as const;
export type ConfigParser = (typeof CONFIG_PARSERS)[number];

/** Most files of an egg, settings of a file, and characters of a key and of what it is set to. */
export const MAX_CONFIG_FILES = 30;
const MAX_CONFIG_SETTINGS = 200;
const MAX_KEY = 500;
const MAX_VALUE = 2000;
/** Characters of all files of an egg together, as JSON. */
const MAX_TOTAL = 131_072;

const text = (most: number) =>
  z.string().check(
    z.maxLength(most),
    z.refine((value) => value.isWellFormed() && !value.includes('\0')),
  );
const configSetting = z.object({
  /** Where in the file, as its parser reads it: a dotted path, a name, the beginning of a line. */
  key: text(MAX_KEY).check(z.minLength(1)),
  /** What is put there; in a text, placeholders such as `{{server.build.default.port}}` are filled in. */
  value: z.union([text(MAX_VALUE), z.boolean()]),
  /** Only where this is what stands there, or after `regex:` a pattern that fits it; null: whatever stands there. */
  was: z.nullable(text(MAX_KEY)),
});
/** A file of a server's folder that is brought to its settings before each start. */
export const configFile = z.object({
  path: filePath,
  parser: z.enum(CONFIG_PARSERS),
  settings: z.array(configSetting).check(z.maxLength(MAX_CONFIG_SETTINGS)),
});
/** Those of an egg: all of them go to the node with each change of a server. */
export const configFiles = z.array(configFile).check(
  z.maxLength(MAX_CONFIG_FILES),
  z.refine((files) => JSON.stringify(files).length <= MAX_TOTAL),
);
export type ConfigSetting = z.output<typeof configSetting>;
export type ConfigFile = z.output<typeof configFile>;
