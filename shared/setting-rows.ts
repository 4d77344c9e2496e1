import type { SettingPicture } from './pictures.ts';

/** What a row of the settings registry (behaviour 1) is made of. */
/** The groups in which settings are shown (behaviour 8.4), in their order. */
export const SETTING_GROUPS = [
  'general',
  'appearance',
  'accounts',
  'earning',
  'store',
  'servers',
  'payments',
  'mail',
  'integrations',
  'security',
  'legal',
  'code',
  'advanced',
] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];
/**
 * The declaration of a secret setting. `sentTo`: keys of the settings that hold the addresses it is sent to, none if it
 * is never sent. A new origin of one of them requires the secret again in the same change (attacks T57).
 */
interface Secret {
  readonly sentTo: readonly string[];
}
interface Base {
  readonly group: SettingGroup;
  /** Sent to browsers (specification, section 3). */
  readonly public: boolean;
  /** In the browser only `admin.root` changes it: it reaches further than the right to change settings. */
  readonly ownerOnly?: true;
  /** Staff are asked once more before it changes: a wrong value locks people out, or is hard to take back. */
  readonly asks?: true;
}
export type SettingRow = Base &
  /**
   * `lines`: a long text, with line breaks and tabs; `format`: what it is, plain text if absent (`list`: an entry a
   * line, or one line with `separator` between them; `colour`: `#rrggbb`, or nothing; `picture`: the id of an uploaded
   * picture of the kind, or nothing). `choices`: the only values there are. `secret`: encrypted at rest, never sent
   * back (behaviour 1).
   */
  (
    | {
        readonly type: 'text';
        readonly default: string;
        readonly max: number;
        readonly lines?: true;
        readonly format?: 'markdown' | 'code' | 'list' | 'colour' | 'picture';
        readonly picture?: SettingPicture;
        readonly separator?: string;
        readonly choices?: readonly string[];
        readonly secret?: Secret;
      }
    | {
        readonly type: 'number';
        readonly default: number;
        readonly min: number;
        readonly max: number;
        readonly unit: string;
      }
    | { readonly type: 'switch'; readonly default: boolean }
  );

/** A short text. `open`: it is sent to browsers. */
export const text = <const D extends string>(group: SettingGroup, value: D, max = 200, open = true) =>
  ({ type: 'text', default: value as string, max, group, public: open }) as const;
/** A long text, with line breaks and tabs. */
export const longText = (group: SettingGroup, format?: 'markdown' | 'code' | 'list') =>
  ({
    type: 'text',
    default: '' as string,
    max: LONG_TEXT_MAX,
    lines: true,
    group,
    public: false,
    ...(format ? { format } : {}),
  }) as const;
/** One of some words. `open`: it is sent to browsers. */
export const choice = <const D extends string>(
  group: SettingGroup,
  value: D,
  choices: readonly string[],
  open = false,
) => ({ type: 'text', default: value as string, max: 20, choices, group, public: open }) as const;
/** A list on one line. `separator`: what is between its entries. */
export const list = (group: SettingGroup, max: number, separator: ' ' | ',') =>
  ({ type: 'text', default: '' as string, max, format: 'list', separator, group, public: false }) as const;
/** A colour as `#rrggbb`; empty: the product's own. */
export const colour = (group: SettingGroup) =>
  ({ type: 'text', default: '' as string, max: 7, format: 'colour', group, public: false }) as const;
/** A picture of the installation by its id; empty: none of its own. `open`: it is sent to browsers. */
export const picture = (group: SettingGroup, kind: SettingPicture, open = false) =>
  ({ type: 'text', default: '' as string, max: 32, format: 'picture', picture: kind, group, public: open }) as const;
/** A row that in the browser only `admin.root` changes. */
export const ownerOnly = <R extends object>(row: R) => ({ ...row, ownerOnly: true }) as const;
/** A row whose change staff are asked about once more. */
export const asking = <R extends object>(row: R) => ({ ...row, asks: true }) as const;
/** A whole number with its bounds and unit. `open`: it is sent to browsers. */
export const number = (group: SettingGroup, value: number, min: number, max: number, unit: string, open = false) =>
  ({ type: 'number', default: value as number, min, max, unit, group, public: open }) as const;
/** On or off. `open`: it is sent to browsers. */
export const toggle = (group: SettingGroup, value: boolean, open = false) =>
  ({ type: 'switch', default: value as boolean, group, public: open }) as const;

/** What is encrypted at rest, with the settings that hold the addresses it is sent to. */
export const secret = (group: SettingGroup, ...sentTo: string[]) =>
  ({ type: 'text', default: '' as string, max: 500, secret: { sentTo }, group, public: false }) as const;

/** Maximum of settings in credits or minor units of money. */
export const AMOUNT_MAX = 1_000_000_000;
/** Characters of a long text. */
const LONG_TEXT_MAX = 200_000;
