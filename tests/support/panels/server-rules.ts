import { invalid, type Failure } from './errors.ts';
import type { Body, Json } from './rows.ts';
import { check, exists, split, unique, type Rule, type Rules } from './rules.ts';
import type { PanelState } from './state.ts';

/** A number of a body, whole: decimals are rounded, numeric texts taken, null is 0 (5). */
export const whole = (value: Json | undefined): number => Math.round(Number(value ?? 0));

/** What servers are checked by: Pterodactyl's widths (5), or Pelican's (8). */
export function serverRules(state: PanelState, but: number): Record<string, Rule[]> {
  const pelican = state.dialect === 'pelican';
  const named = (value: Json) => typeof value === 'string' && (state.serverNamed(value)?.id ?? but) !== but;
  return {
    external_id: [
      'sometimes',
      'nullable',
      'string',
      pelican ? 'between:1,255' : 'between:1,191',
      unique((value) => !named(value)),
    ],
    name: ['required', 'string', pelican ? 'between:1,255' : 'between:1,191'],
    description: ['nullable', 'string'],
    user: ['required', 'integer', exists((value) => state.users.has(Number(value)))],
    egg: ['required', exists((value) => state.eggs.has(Number(value)))],
    image: ['required', 'string', ...(pelican ? ['max:255'] : ['max:191', 'regex:/^~?[\\w.\\/\\-:@ ]*$/'])],
    startup: ['required', 'string'],
    memory: ['required', 'numeric', 'min:0'],
    swap: ['required', 'numeric', 'min:-1'],
    disk: ['required', 'numeric', 'min:0'],
    io: ['required', 'numeric', pelican ? 'between:0,1000' : 'between:10,1000'],
    threads: ['nullable', 'regex:/^[0-9-,]+$/'],
    cpu: ['required', 'numeric', 'min:0'],
    databases: ['present', 'nullable', 'integer', 'min:0'],
    allocations: ['sometimes', 'nullable', 'integer', 'min:0'],
    backups: ['present', 'nullable', 'integer', 'min:0'],
  };
}
/** Rules of a creation (5, 8). A deploy stands in for the allocation; its keys must all be there. */
export function createRules(state: PanelState, body: Body): Rules {
  const own = serverRules(state, 0);
  const pelican = state.dialect === 'pelican';
  const limit = (name: string) => own[name] ?? [];
  const deploy = body['deploy'];
  const deploys = typeof deploy === 'object' && deploy !== null && Object.keys(deploy).length > 0;
  const free = exists((value) => state.allocations.get(Number(value))?.serverId === null);
  return {
    external_id: limit('external_id'),
    name: limit('name'),
    description: limit('description'),
    user: limit('user'),
    egg: limit('egg'),
    docker_image: pelican ? ['sometimes', 'string'] : limit('image'),
    startup: pelican ? ['sometimes', 'string'] : limit('startup'),
    environment: ['present', 'array'],
    skip_scripts: ['sometimes', 'boolean'],
    [pelican ? 'oom_killer' : 'oom_disabled']: ['sometimes', 'boolean'],
    limits: ['required', 'array'],
    'limits.memory': limit('memory'),
    'limits.swap': limit('swap'),
    'limits.disk': limit('disk'),
    'limits.io': limit('io'),
    'limits.threads': limit('threads'),
    'limits.cpu': limit('cpu'),
    feature_limits: ['required', 'array'],
    'feature_limits.databases': limit('databases'),
    'feature_limits.allocations': limit('allocations'),
    'feature_limits.backups': limit('backups'),
    ...(deploys
      ? {}
      : { 'allocation.default': ['required', 'bail', 'integer', free], 'allocation.additional.*': ['integer', free] }),
    deploy: ['sometimes', 'required', 'array'],
    ...(deploys ? deployRules(pelican) : {}),
    start_on_completion: ['sometimes', 'boolean'],
  };
}
function deployRules(pelican: boolean): Rules {
  const where: Rules = pelican
    ? { 'deploy.tags': ['present', 'array'], 'deploy.tags.*': ['string', 'min:1'] }
    : { 'deploy.locations': ['present', 'array'], 'deploy.locations.*': ['integer', 'min:1'] };
  return {
    ...where,
    'deploy.dedicated_ip': ['required_with:deploy', 'boolean'],
    'deploy.port_range': ['present', 'array'],
    'deploy.port_range.*': ['string'],
  };
}

/** A value as it is kept: text (5). */
const kept = (value: Json | undefined): string =>
  value === true
    ? '1'
    : value === undefined || value === null || value === false
      ? value === false
        ? '0'
        : ''
      : String(value);
/**
 * The egg's variables by id. Absent ones are not filled in: required ones fail, others are kept empty (5); Pelican
 * checks the default in the place of an absent one, and keeps it empty all the same (8). Names that the egg has not are
 * dropped.
 */
export function environmentOf(state: PanelState, eggId: number, environment: Json | undefined): Map<number, string> {
  const egg = state.eggs.get(eggId);
  const sent: Body =
    typeof environment === 'object' && environment !== null && !Array.isArray(environment) ? environment : {};
  const failures: Failure[] = [];
  const values = new Map<number, string>();
  for (const variable of egg?.variables ?? []) {
    const field = `environment.${variable.env}`;
    const value = sent[variable.env];
    const looked = state.dialect === 'pelican' && value === undefined ? variable.defaultValue : value;
    const body: Body = looked === undefined ? {} : { environment: { [variable.env]: looked } };
    failures.push(
      ...check(
        body,
        { [field]: split(variable.rules, state.dialect === 'pelican') },
        { [field]: `${variable.name} variable` },
      ),
    );
    values.set(variable.id, kept(value));
  }
  if (failures.length > 0) throw invalid(failures);
  return values;
}
