import { createHttpPanel } from '#server/panel/http/panel.ts';
import { panelDeps, panelErrors, scriptedPanel, type Scripted, type SentCall } from './panel-http.ts';

type Dialect = Parameters<typeof createHttpPanel>[1]['dialect'];
/** The panels that speak the same language, each a little differently. */
export const DIALECTS = ['pterodactyl', 'pelican'] as const satisfies readonly Dialect[];

/** An adapter over a panel that gives these answers. Out: it, its parts, and the calls it sent. */
export function panelWorld(
  answers: Scripted[] = [],
  {
    dialect = 'pterodactyl',
    clientKey = 'ptlc_key',
    rest,
  }: { dialect?: Dialect; clientKey?: string | null; rest?: (call: SentCall) => Scripted } = {},
) {
  const script = scriptedPanel(answers, rest);
  const deps = panelDeps(script.fetch);
  return {
    ...script,
    deps,
    ...createHttpPanel(deps, { id: 'p1', dialect, url: 'https://panel.example.test', key: 'ptla_key', clientKey }),
  };
}
/** Calls of the application's API, by method and path. */
export const pathsOf = (calls: readonly SentCall[]): string[] =>
  calls.map(({ method, path }) => `${method} ${path.replace('/api/application', '')}`);
/** A panel says that what it was asked for is not there. */
export const NOT_THERE = panelErrors(
  404,
  'NotFoundHttpException',
  'The requested resource could not be found on the server.',
);
/** A panel answers what it was asked for. */
export const okAnswer = (body: unknown): Scripted => ({ status: 200, body });
