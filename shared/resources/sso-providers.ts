import * as z from 'zod/mini';
import { clientSecretInput, issuerInput, scopesInput } from '../schemas/sso.ts';
import { isoTime } from '../schemas/primitives.ts';
import { SSO_ICONS, SSO_KINDS } from '../sso.ts';
import { choice, column, computedNumber, name, onOff, position, readOnlyColumn, text } from './columns.ts';
import { defineResource } from './define.ts';

/**
 * Services elsewhere that people sign in with (behaviour 3.6), under rights of their own: whoever sets one up decides
 * who may come in. Kind and issuer stay for good: what people are linked to is an account of that issuer, and its
 * secret goes nowhere else (attacks T57).
 */
export const ssoProviders = defineResource({
  area: 'ssoProviders',
  path: '/api/admin/sso-providers',
  table: 'sso_providers',
  permission: 'admin.sso.providers',
  nav: { group: 'system', order: 1, icon: 'log-in' },
  columns: {
    name: name(80),
    kind: choice(SSO_KINDS, { start: 'oidc' }),
    /** The provider's own name: an address. Empty: that of the kind. */
    issuer: column({
      store: { type: 'text' },
      row: z.string(),
      input: issuerInput,
      field: { kind: 'code', optional: true, wide: true },
      start: '',
      list: { format: 'code', hideOnPhone: true },
    }),
    client_id: text(0, 255, { list: null, field: { optional: true } }),
    /** Written only: never read back. Empty keeps the one that is set. */
    client_secret: column({
      store: { type: 'text', derived: true },
      row: z.string(),
      input: clientSecretInput,
      field: { kind: 'custom', optional: true },
      start: '',
    }),
    scopes: column({
      store: { type: 'text' },
      row: z.string(),
      input: scopesInput,
      field: { kind: 'code', optional: true },
      start: '',
    }),
    icon: choice(SSO_ICONS, { start: 'key', list: null, filter: false }),
    position: position(),
    enabled: onOff(true),
    /** When its secret was set; null: there is none. */
    secret_set_at: readOnlyColumn({
      store: { type: 'ms', column: 'secret_set_ms', nullable: true },
      row: z.nullable(isoTime),
    }),
    /** Accounts that are linked to one there. */
    linked: computedNumber('number', { hideOnPhone: true }),
  },
  hidden: { secret: { type: 'text', nullable: true } },
  groups: {
    button: { columns: 2, fields: ['name', 'icon', 'position', 'enabled'] },
    service: { columns: 2, fields: ['kind', 'issuer'] },
    application: { columns: 2, fields: ['client_id', 'client_secret', 'scopes'] },
  },
  title: 'name',
  search: ['name', 'issuer'],
  sort: 'position',
  unique: [
    { fields: ['name'], field: 'name', code: 'NAME_TAKEN' },
    { fields: ['issuer'], field: 'issuer', code: 'ISSUER_TAKEN' },
  ],
  dependants: { linked: { refuses: false }, stranded: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});

/** A provider as staff write it. */
export type SsoProviderInput = z.output<typeof ssoProviders.create>;
