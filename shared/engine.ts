import * as z from 'zod/mini';
import { dockerImage } from './schemas/egg.ts';

/**
 * Whether this machine runs containers (`machine:engine.<code>`): `absent`, no socket of one; `silent`, it does not
 * answer; `old`, its API is older than 1.41; `rootless`, its users are not the machine's; `unfiltered`, it filters no
 * system calls; `off`, by the operator's word.
 */
export const ENGINE_STATES = ['ready', 'absent', 'silent', 'old', 'rootless', 'unfiltered', 'off'] as const;
export type EngineState = (typeof ENGINE_STATES)[number];

/** Characters of the longest installation script. */
export const MAX_INSTALL_SCRIPT = 131_072;

const oneLine = (max: number) => z.string().check(z.maxLength(max), z.regex(/^\P{Cc}*$/u, 'INVALID'));
/** Programs that installation scripts are written for; a script of another is not run. */
const INSTALL_SHELLS = ['bash', 'ash', 'sh', '/bin/bash', '/bin/ash', '/bin/sh'] as const;

/** What the file of an egg says about its container, beside image and start command. */
const facts = {
  /** `^C`: a signal as of a terminal; else what is written into its standard input; '': it is asked to end. */
  stop: oneLine(1000),
  /** Parts of the line that says it is ready; behind `regex:` a pattern. None: it is ready as soon as it runs. */
  done: z.array(oneLine(1000)).check(z.maxLength(20)),
};
/** An egg that runs in an image, as the catalogue has it. `script`: the id of the text, which is kept apart. */
export const eggContainer = z.object({
  ...facts,
  install: z.nullable(z.object({ image: dockerImage, shell: z.enum(INSTALL_SHELLS), script: z.string() })),
});
export type EggContainer = z.infer<typeof eggContainer>;

/** What a server in a container is made of. */
export const containerSpec = z.strictObject({
  image: dockerImage,
  startup: oneLine(2000),
  ...facts,
  install: z.nullable(
    z.strictObject({
      image: dockerImage,
      shell: z.enum(INSTALL_SHELLS),
      script: z.string().check(z.maxLength(MAX_INSTALL_SCRIPT), z.regex(/^[^\0]*$/)),
    }),
  ),
});
export type ContainerSpec = z.infer<typeof containerSpec>;
