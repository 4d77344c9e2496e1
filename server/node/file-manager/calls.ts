import * as z from 'zod/mini';
import { configFiles, MAX_CONFIG_FILES } from '#shared/config-files.ts';
import { CONFIG_PROBLEMS } from '#shared/server-codes.ts';
import { FILE_CALLS, filePath } from '#shared/schemas/server-files.ts';

/** What the program that works on files is asked: by players, and by the node itself before a start. */
export const PROGRAM_CALLS = {
  ...FILE_CALLS,
  /** Brings configuration files to their settings. Out: those that were left as they are, and why. */
  configure: {
    input: z.strictObject({ files: configFiles }),
    output: z.object({
      problems: z
        .array(z.object({ path: filePath, reason: z.enum(CONFIG_PROBLEMS) }))
        .check(z.maxLength(MAX_CONFIG_FILES)),
    }),
  },
} as const;
export type ProgramCall = keyof typeof PROGRAM_CALLS;
export type ProgramInput<N extends ProgramCall> = z.output<(typeof PROGRAM_CALLS)[N]['input']>;
export type ProgramOutput<N extends ProgramCall> = z.output<(typeof PROGRAM_CALLS)[N]['output']>;
/** A configuration file that was left as it is. */
export type ConfigProblem = ProgramOutput<'configure'>['problems'][number];
