/** How an installation is served, as the words behind `serve` say. */
interface ServeWords {
  readonly local: boolean;
  /** The hosting API without pages. */
  readonly apiOnly: boolean;
  readonly safe: boolean;
  /** Processes that make pages; null: one process does everything. */
  readonly workers: number | null;
}

/** Most processes for pages: more than any machine that one hosting API keeps busy. */
const MOST_WORKERS = 64;
const WORKERS = new RegExp(`^[1-9]\\d?$`);

/** Reads the words behind `serve`. In: also where it runs. Out: what they say, or why they cannot be followed. */
export function readServeWords(
  argv: readonly string[],
  { platform, hostingApiUrl }: { readonly platform: string; readonly hostingApiUrl: string | null },
): ServeWords | { readonly fault: string } {
  /** What follows a word; null where that is not there. */
  const behind = (word: string) => (argv.includes(word) ? (argv[argv.indexOf(word) + 1] ?? '') : null);
  const only = behind('--only');
  if (only !== null && only !== 'api') return { fault: '--only takes: api' };
  const asked = behind('--workers');
  const words = { local: argv.includes('--local'), apiOnly: only === 'api', safe: argv.includes('--safe') };
  if (asked === null) return { ...words, workers: null };
  if (!WORKERS.test(asked) || Number(asked) > MOST_WORKERS)
    return { fault: `--workers takes a whole number from 1 to ${MOST_WORKERS}` };
  if (words.apiOnly) return { fault: '--workers makes pages, which --only api leaves out: use one of them' };
  if (hostingApiUrl !== null)
    return {
      fault: '--workers begins the hosting API of this machine, and HOSTING_API_URL names another one: use one of them',
    };
  if (platform !== 'linux')
    return {
      fault: `--workers needs Linux, where several processes share a port (SO_REUSEPORT); this is ${platform}. Serve without it.`,
    };
  return { ...words, workers: Number(asked) };
}
