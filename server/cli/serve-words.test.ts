import { expect, test } from 'bun:test';
import { readServeWords } from './serve-words.ts';

const HERE = { platform: 'linux', hostingApiUrl: null };
const ONE_PROCESS = { local: false, apiOnly: false, safe: false, workers: null };

test('without --workers one process serves, whatever else is said and wherever it runs', () => {
  expect(readServeWords([], HERE)).toEqual(ONE_PROCESS);
  expect(readServeWords(['--local', '--safe'], { platform: 'win32', hostingApiUrl: 'http://api' })).toEqual({
    ...ONE_PROCESS,
    local: true,
    safe: true,
  });
  expect(readServeWords(['--only', 'api'], HERE)).toEqual({ ...ONE_PROCESS, apiOnly: true });
  expect(readServeWords(['--only'], HERE)).toEqual({ fault: '--only takes: api' });
  expect(readServeWords(['--only', 'web'], HERE)).toEqual({ fault: '--only takes: api' });
});

test.each(['1', '2', '64'])('--workers %s is how many processes make pages', (count) => {
  expect(readServeWords(['--workers', count, '--local'], HERE)).toEqual({
    ...ONE_PROCESS,
    local: true,
    workers: Number(count),
  });
});

test.each([
  [['0']],
  [['65']],
  [['99999']],
  [['1.5']],
  [['-1']],
  [['1e1']],
  [['+2']],
  [[' 2']],
  [['two']],
  [['--local']],
  [[]],
])('--workers %j is refused with what it takes', (behind) => {
  expect(readServeWords(['--workers', ...behind], HERE)).toEqual({
    fault: '--workers takes a whole number from 1 to 64',
  });
});

test('--workers is refused without pages, with a hosting API elsewhere, and where processes cannot share a port', () => {
  const words = ['--workers', '2'];
  const faults = [
    readServeWords([...words, '--only', 'api'], HERE),
    readServeWords(words, { ...HERE, hostingApiUrl: 'http://api' }),
    ...['darwin', 'win32'].map((platform) => readServeWords(words, { ...HERE, platform })),
  ].map((result) => ('fault' in result ? result.fault : ''));
  for (const [at, said] of ['--only api', 'HOSTING_API_URL', 'darwin', 'win32'].entries())
    expect(faults[at]).toContain(said);
});
