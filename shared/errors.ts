/**
 * The closed catalogue of error codes, each with the HTTP status of the answer that carries it. Texts live in the
 * locale namespace `errors` under the code. Specification section 8, behaviour 1.
 */
export const ERRORS = {
  // the request
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ORIGIN_REFUSED: 403,
  ACCESS_BLOCKED: 403,
  NOT_FOUND: 404,
  FEATURE_DISABLED: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  IDEMPOTENCY_MISMATCH: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  SERVER_ERROR: 500,
  SERVER_UNAVAILABLE: 503,
  // sessions and accounts
  SESSION_EXPIRED: 401,
  TW0_FA_BLOCKED: 403,
  TWO_FACTOR_REQUIRED: 403,
  TWO_FACTOR_ON: 409,
  TWO_FACTOR_OFF: 409,
  TWO_FACTOR_SETUP_OVER: 409,
  CONFIRM_REQUIRED: 409,
  PASSKEY_UNKNOWN: 404,
  PASSKEY_REFUSED: 409,
  PASSKEY_EXPIRED: 410,
  PASSKEY_LIMIT: 409,
  LOGIN_FAILED: 401,
  ACCOUNT_BANNED: 403,
  ACCOUNT_UNVERIFIED: 403,
  REGISTRATION_DISABLED: 403,
  SETUP_LINK_INVALID: 410,
  SETUP_DONE: 409,
  VERIFY_LINK_INVALID: 410,
  RESET_LINK_INVALID: 410,
  EMAIL_LINK_INVALID: 410,
  ALREADY_VERIFIED: 409,
  RESEND_TOO_SOON: 429,
  PASSWORD_WRONG: 422,
  TOKEN_SCOPE_MISSING: 403,
  TOKEN_ADDRESS_REFUSED: 403,
  TOO_MANY_TOKENS: 409,
  VIEWING_READ_ONLY: 403,
  TRUST_REQUIRED: 403,
  USER_CHANGED: 409,
  STAFF_NETWORK_REFUSED: 403,
  // abuse
  CHALLENGE_REQUIRED: 403,
  CHALLENGE_FAILED: 403,
  CHALLENGE_UNAVAILABLE: 424,
  AD_BLOCKER: 403,
  APPEAL_SENT: 409,
  // credits
  INSUFFICIENT_CREDITS: 409,
  WALLET_FULL: 409,
  SPENDING_BLOCKED: 409,
  ACCOUNT_FROZEN: 409,
  DUPLICATE_REFERENCE: 409,
  ALREADY_REVERSED: 409,
  HOLD_CLOSED: 409,
  BAN_INCOMPLETE: 409,
  // backups
  BACKUP_BUSY: 409,
  // coming over from another dashboard
  IMPORT_BUSY: 409,
  // e-mails
  MAIL_NOT_WAITING: 409,
  MAIL_NOT_RESENDABLE: 409,
  MAIL_NO_SERVER: 409,
  // images of users
  IMAGE_FORMAT: 415,
  IMAGE_MOVING: 415,
  IMAGE_PIXELS: 413,
  IMAGE_QUOTA: 409,
  IMAGE_KEY_UNKNOWN: 401,
  IMAGE_BUSY: 429,
  IMAGE_BLOCKED: 409,
  REPORT_CLOSED: 409,
  REPORT_OPEN: 409,
  // tickets
  TICKET_LIMIT: 409,
  TICKET_CLOSED: 409,
  TICKET_CHANGED: 409,
  TICKET_BLOCKED: 403,
  TICKET_MERGED: 409,
  // earning
  DAILY_CAP_REACHED: 409,
  BUDGET_SPENT: 409,
  AFK_SESSION_ENDED: 409,
  AFK_TAKEN_OVER: 409,
  AFK_CHALLENGE_WRONG: 409,
  CODE_UNKNOWN: 404,
  CODE_DISABLED: 409,
  CODE_NOT_STARTED: 409,
  CODE_EXPIRED: 409,
  CODE_EXHAUSTED: 409,
  CODE_ALREADY_USED: 409,
  CODE_OWN: 409,
  ACCOUNT_TOO_YOUNG: 409,
  // links for rewards
  LINK_UNAVAILABLE: 409,
  LINK_COOLDOWN: 429,
  LINK_BUSY: 409,
  LINK_PROVIDER_FAILED: 409,
  LINK_CLAIM_UNKNOWN: 404,
  LINK_CLAIM_USED: 409,
  LINK_CLAIM_OVER: 410,
  LINK_TOO_SOON: 429,
  LINK_NOT_CONFIRMED: 409,
  LINK_UNSURE: 409,
  // gifts
  RECIPIENT_UNAVAILABLE: 404,
  GIFT_TO_SELF: 409,
  GIFT_CAP_REACHED: 409,
  RECIPIENT_CAP_REACHED: 409,
  SENDER_TOO_YOUNG: 409,
  // linked accounts and join for rewards
  IDENTITY_TAKEN: 409,
  ALREADY_LINKED: 409,
  LAST_WAY_IN: 409,
  LINK_STATE_INVALID: 410,
  LINK_REFUSED: 409,
  PROVIDER_UNAVAILABLE: 424,
  SSO_REFUSED: 409,
  SSO_UNAVAILABLE: 424,
  SSO_REGISTRATION_OVER: 410,
  J4R_NOT_LINKED: 409,
  J4R_RELINK: 409,
  J4R_NOT_MEMBER: 409,
  J4R_PENDING: 409,
  J4R_MEMBER_BEFORE: 409,
  J4R_ALREADY_PAID: 409,
  DISCORD_TOO_YOUNG: 409,
  // store
  LIMIT_REACHED: 409,
  ITEM_UNAVAILABLE: 409,
  PRICE_CHANGED: 409,
  VIP_ONLY: 403,
  PURCHASE_IN_USE: 409,
  ALREADY_REFUNDED: 409,
  // payments
  GATEWAY_UNAVAILABLE: 424,
  GATEWAY_REFUSED: 409,
  TOO_MANY_ORDERS: 409,
  SIGNATURE_INVALID: 400,
  // servers
  EGG_UNAVAILABLE: 409,
  EGG_CATEGORY_MISMATCH: 409,
  LOCATION_UNAVAILABLE: 409,
  LOCATION_FULL: 409,
  MACHINE_CLOSED: 409,
  MACHINE_UNREACHABLE: 424,
  NOT_ENOUGH_MEMORY: 409,
  NOT_ENOUGH_DISK: 409,
  NOT_ENOUGH_CPU: 409,
  NOT_ENOUGH_SLOTS: 409,
  NOT_ENOUGH_PORTS: 409,
  NOT_ENOUGH_DATABASES: 409,
  NOT_ENOUGH_BACKUPS: 409,
  BELOW_EGG_MINIMUM: 422,
  SERVER_SUSPENDED: 409,
  SERVER_BUSY: 409,
  NO_LICENCE_NEEDED: 409,
  EGG_FILE_UNREADABLE: 422,
  EGG_FILE_FORMAT: 422,
  SERVER_NOT_READY: 409,
  SERVER_OFF: 409,
  NO_GAME_PROCESS: 409,
  POWER_UNAVAILABLE: 409,
  PANEL_UNREACHABLE: 424,
  FILES_UNAVAILABLE: 409,
  FILE_NOT_FOUND: 404,
  FILE_EXISTS: 409,
  FILE_CHANGED: 409,
  FILE_NOT_TEXT: 409,
  FILE_TOO_LARGE: 409,
  FILES_FULL: 409,
  FILE_REFUSED: 409,
  UPLOAD_GAP: 409,
  ARCHIVE_UNREADABLE: 409,
  ARCHIVE_TOO_LARGE: 409,
  FILES_WORKING: 409,
  BACKUPS_UNAVAILABLE: 409,
  BACKUP_NOT_FOUND: 404,
  BACKUP_LIMIT: 409,
  BACKUP_LOCKED: 409,
  SERVER_RUNNING: 409,
  PRIMARY_PORT_UNAVAILABLE: 409,
  SUBUSERS_UNAVAILABLE: 409,
  SUBUSER_IS_OWNER: 409,
  SUBUSER_EXISTS: 409,
  SUBUSER_LIMIT: 409,
  SHARED_SERVER_LIMIT: 409,
  SCHEDULES_UNAVAILABLE: 409,
  SCHEDULE_NOT_FOUND: 404,
  SCHEDULE_LIMIT: 409,
  SCHEDULE_RUNNING: 409,
  CAPACITY_AVAILABLE: 409,
  BELOW_USAGE: 409,
  RENEW_TOO_FAR: 409,
  NAME_MISMATCH: 422,
  NOT_CANCELLABLE: 409,
  // game panels
  PANEL_UNAVAILABLE: 424,
  PANEL_DISABLED: 409,
  PANEL_REFUSED: 409,
  ACCOUNT_NOT_YOURS: 409,
  // administration
  APPROVAL_REQUIRED: 403,
  ROLE_TOO_HIGH: 403,
  PERMISSION_NOT_HELD: 403,
  LAST_OWNER: 409,
  DEFAULT_ROLE: 409,
  DEFAULT_ROLE_STAFF: 409,
  WEBHOOK_LIMIT: 409,
  WEBHOOK_OFF: 409,
  PLUGIN_OFF: 409,
  DELIVERY_WAITING: 409,
  PLUGIN_FAILED: 424,
  IN_USE: 409,
  NAME_TAKEN: 409,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of field errors in a form (locale namespace `errors`, under `field.<CODE>`). */
export const FIELD_CODES = [
  'REQUIRED',
  'INVALID',
  'UNKNOWN',
  'TOO_SHORT',
  'TOO_LONG',
  'TOO_SMALL',
  'TOO_LARGE',
  'NO_ROOM',
  'NOT_WHOLE',
  'INVALID_EMAIL',
  'DISCORD_URL',
  'INVALID_USERNAME',
  'INVALID_CODE',
  'INVALID_DATE',
  'END_BEFORE_START',
  'PASSWORD_COMMON',
  'PASSWORD_WRONG',
  'CODE_WRONG',
  // A recovery key or passphrase that does not open a backup.
  'KEY_WRONG',
  'USERNAME_TAKEN',
  'USERNAME_UNKNOWN',
  'PORT_UNKNOWN',
  'EMAIL_TAKEN',
  'TERMS_REQUIRED',
  'NAME_TAKEN',
  'CODE_TAKEN',
  'INVITE_TAKEN',
  'SLUG_TAKEN',
  // A provider of sign-in: there is another of the issuer, and what stays for good.
  'ISSUER_TAKEN',
  'FIXED',
  // Without a password: only soon after signing in.
  'SIGN_IN_AGAIN',
  'INVALID_INVITE',
  'INVALID_SLUG',
  'INVALID_URL',
  'NAME_MISMATCH',
  'NOT_ALLOWED',
  // A setting: somebody else changed it since, and it has to be confirmed.
  'CHANGED_MEANWHILE',
  'NOT_CONFIRMED',
  'BELOW_MINIMUM',
  'ABOVE_LIMIT',
  'NOT_ENOUGH',
  'UNAVAILABLE',
  'RULE_FAILED',
  'ADDRESS_TAKEN',
  'ADDRESS_INSECURE',
  'NEEDS_MAIL',
  // The content of a mail.
  'VARIABLE_UNKNOWN',
  'VARIABLE_MISSING',
  'BUTTON_MISSING',
  'OTHER_PANEL',
  // Why a panel's address cannot be used, and why its key cannot.
  'PANEL_SILENT',
  'PANEL_DNS',
  'PANEL_TLS',
  'PANEL_TIMEOUT',
  'PANEL_RESET',
  'PANEL_REDIRECT',
  'PANEL_NOT_API',
  'PANEL_KEY_OWNER',
  'PANEL_KEY_ADDRESS',
  'CLIENT_KEY',
  'PICTURE_FORMAT',
  'PICTURE_PIXELS',
  'PICTURE_SMALL',
  'PICTURE_SQUARE',
  'PICTURE_TOO_LARGE',
  'ATTACHMENT_FORMAT',
  'ATTACHMENT_TOO_LARGE',
  'ATTACHMENT_QUOTA',
  'ATTACHMENT_GONE',
  // Of the scanner for viruses: it found one, or did not answer.
  'ATTACHMENT_INFECTED',
  'ATTACHMENT_UNCHECKED',
  'SKIN_FORMAT',
  'SKIN_SIZE',
  'SKIN_TOO_LARGE',
  // A package of a plugin.
  'PLUGIN_FILE',
  'PLUGIN_TOO_LARGE',
  'PLUGIN_PATH',
  'PLUGIN_MANIFEST',
  'PLUGIN_SIGNATURE',
  'PLUGIN_NEWER',
  'PLUGIN_TAKEN',
] as const;
export type FieldCode = (typeof FIELD_CODES)[number];
export type FieldErrors = Record<string, FieldCode[]>;

/** HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return ERRORS[code];
}

/** What a banned user is shown with ACCOUNT_BANNED. */
export interface BanNotice {
  readonly reason: string;
  /** ISO 8601; null: for good. */
  readonly until: string | null;
  /** How to appeal, in the host's words (setting `ban_appeal`); '' where the host says nothing. */
  readonly appeal: string;
}

interface ErrorDetails {
  /** Field → codes, for a form. */
  fields?: FieldErrors;
  /** Seconds until a retry makes sense (sent as Retry-After). */
  retryAfterS?: number;
  /** With ACCOUNT_BANNED: why, until when, and where to appeal. */
  ban?: BanNotice;
}

/** The one error that business code throws on purpose. Everything else is a bug and becomes SERVER_ERROR. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly retryAfterS: number | undefined;
  readonly ban: BanNotice | undefined;
  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(code);
    this.name = 'DomainError';
    this.code = code;
    this.fields = details.fields;
    this.retryAfterS = details.retryAfterS;
    this.ban = details.ban;
  }
}

/** A refusal because of one field: 422 with that field's code. */
export function fieldError(field: string, code: FieldCode): DomainError {
  return new DomainError('VALIDATION_FAILED', { fields: { [field]: [code] } });
}
