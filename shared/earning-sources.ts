import { FLAGS, type Flag } from './flags.ts';
import type { Permission } from './permissions.ts';
import { AMOUNT_MAX, number, toggle, type SettingRow } from './setting-rows.ts';

/** The declaration of an earning source (behaviour 4). Its texts are `sources:<name>.name`, `.reward`, `.why`, `.open`. */
interface SourceFacts {
  /** Its kill switch: a flag of the specification, or a setting derived here. While it is off nothing is paid. */
  readonly enabled: Flag | `${string}_enabled`;
  /** Default of `<name>_daily_cap`: credits a user may earn a day from it; 0 = no cap. Its budget is 0: none. */
  readonly cap: number;
  /** The page that its statement lines lead to. */
  readonly page: `earn.${string}` | 'dashboard';
  /** Settings of its own: amounts and terms. */
  readonly settings?: Readonly<Record<string, SettingRow>>;
  /** Its rewards are scored without a cache: the signals have usually just changed. */
  readonly freshScore?: true;
  /** Staff who lack this permission see the subject of its rewards masked. */
  readonly subjectFor?: Permission;
}

/**
 * The earning sources: the only list of them. Types, settings, caps, budgets, kill switches, ledger accounts
 * (`system:reward.<name>`), kinds of the statement (`reward.<name>`) and staff's filters derive from it (decision
 * 003).
 */
export const EARNING_SOURCES = {
  afk: {
    enabled: 'afk_enabled',
    cap: 480,
    page: 'earn.afk',
    settings: { afk_per_minute: number('earning', 1, 1, 1000, 'credits', true) },
  },
  redeem: {
    enabled: 'code_redemption_enabled',
    cap: 0,
    page: 'earn.redeem',
    settings: { redeem_wrong_tries: number('earning', 10, 1, 1000, 'tries') },
    // A code that can still be redeemed is worth credits (attacks T59).
    subjectFor: 'admin.redeem.codes.list',
  },
  j4r: {
    enabled: 'j4r_enabled',
    cap: 0,
    page: 'earn.j4r',
    settings: { j4r_vesting_days: number('earning', 7, 0, 365, 'days', true) },
    // Users who join for a reward have usually just linked their account.
    freshScore: true,
  },
  referral: {
    enabled: 'referrals_enabled',
    cap: 0,
    page: 'earn.referrals',
    settings: {
      referral_newcomer_credits: number('earning', 15, 0, AMOUNT_MAX, 'credits', true),
      referral_referrer_credits: number('earning', 35, 0, AMOUNT_MAX, 'credits', true),
      referral_monthly_max: number('earning', 20, 0, AMOUNT_MAX, 'count', true),
      referral_min_age_hours: number('earning', 24, 0, 8760, 'h', true),
      referral_afk_minutes: number('earning', 30, 1, 100_000, 'min', true),
    },
  },
  link: { enabled: 'links_enabled', cap: 0, page: 'earn.links' },
  early_supporters: {
    enabled: 'early_supporters_enabled',
    cap: 0,
    page: 'dashboard',
    settings: {
      early_supporters_count: number('earning', 100, 1, AMOUNT_MAX, 'count', true),
      early_supporters_amount: number('earning', 100, 1, AMOUNT_MAX, 'credits', true),
    },
    // Who made many accounts usually did so just now.
    freshScore: true,
  },
} as const satisfies Readonly<Record<string, SourceFacts>>;

type Sources = typeof EARNING_SOURCES;
export type EarningSource = keyof Sources;

/** The names of the sources, in the order in which they are listed everywhere. */
export const SOURCE_NAMES = Object.keys(EARNING_SOURCES) as [EarningSource, ...EarningSource[]];

/** The declaration of a source, untyped by name. */
export const sourceFacts = (source: EarningSource): SourceFacts => EARNING_SOURCES[source];

/** The source whose rewards have this transaction kind (`reward.<name>`); null if there is none. */
export function sourceOfKind(kind: string): EarningSource | null {
  return SOURCE_NAMES.find((source) => kind === `reward.${source}`) ?? null;
}

/** Kill switches that are settings of their own; the others are flags of the specification. */
type SourceSwitch = Exclude<Sources[EarningSource]['enabled'], Flag>;
/** The switches of features: a page and its endpoints are hidden while off, and answer 404 FEATURE_DISABLED. */
export type FeatureSwitch = Flag | SourceSwitch | 'image_hosting_enabled';

const flags: ReadonlySet<string> = new Set(FLAGS);
/** The kill switches of sources that are no flags. */
export const SOURCE_SWITCHES = SOURCE_NAMES.map((source) => EARNING_SOURCES[source].enabled).filter(
  (key): key is SourceSwitch => !flags.has(key),
);

type NumberRow = ReturnType<typeof number>;
type Bounds = Record<`${EarningSource}_daily_${'cap' | 'budget'}`, NumberRow>;
type OwnSettings = { [S in EarningSource]: Sources[S] extends { settings: infer R } ? R : never }[EarningSource];
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
type SourceSettings = Bounds & Record<SourceSwitch, ReturnType<typeof toggle>> & Intersection<OwnSettings>;

/** Rows of the settings registry for every source: kill switch, cap, budget, and its own. */
export const SOURCE_SETTINGS = Object.fromEntries(
  SOURCE_NAMES.flatMap((source): [string, SettingRow][] => {
    const { enabled, cap, settings = {} } = sourceFacts(source);
    return [
      ...(flags.has(enabled) ? [] : [[enabled, toggle('earning', true, true)] as [string, SettingRow]]),
      ...Object.entries(settings),
      [`${source}_daily_cap`, number('earning', cap, 0, AMOUNT_MAX, 'credits', true)],
      [`${source}_daily_budget`, number('earning', 0, 0, AMOUNT_MAX, 'credits')],
    ];
  }),
) as SourceSettings;
