import { bit, define, oneOf, type Migration } from './migration.ts';

/** Adding credits for money (behaviour 5.3): packages, orders, what gateways say, refunds, disputes, receipts. */
export const payments: Migration = {
  name: '0013_payments',
  async up(step) {
    await define(step, [...PACKAGES, ...ORDERS, ...NOTICES, ...RECEIPTS]);
    await step.raw.run("INSERT INTO payment_sequences (name, last) VALUES ('receipt', 0)", []);
  },
};

const PROVIDERS = ['stripe', 'paypal', 'manual'];
/** Money in minor units. */
const money = (name: string, least = 0) => `${name} INTEGER NOT NULL CHECK (${name} BETWEEN ${least} AND 1000000000)`;
const credits = (name: string, least = 0) => `${name} INTEGER NOT NULL CHECK (${name} BETWEEN ${least} AND 1000000000)`;
const CURRENCY = 'currency TEXT NOT NULL CHECK (length(currency) = 3)';

const PACKAGES = [
  `CREATE TABLE credit_packages (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    ${money('price_minor', 1)},
    ${CURRENCY},
    ${credits('credits', 1)},
    ${credits('bonus')},
    position INTEGER NOT NULL,
    ${bit('visible')},
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX credit_packages_name ON credit_packages (lower(name))',
  'CREATE INDEX credit_packages_position ON credit_packages (position, id)',
];

const ORDERS = [
  `CREATE TABLE payment_orders (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    ${oneOf('provider', PROVIDERS)},
    ${oneOf('state', ['created', 'pending', 'paid', 'part_refunded', 'refunded', 'disputed', 'failed', 'expired', 'cancelled'])},
    package_id TEXT,
    label TEXT,
    ${CURRENCY},
    ${money('amount', 1)},
    ${money('tax')},
    tax_rate INTEGER NOT NULL CHECK (tax_rate BETWEEN 0 AND 10000),
    ${credits('credits', 1)},
    ${credits('bonus')},
    rate INTEGER,
    locale TEXT NOT NULL,
    ref TEXT,
    payment_ref TEXT,
    pay_url TEXT,
    failure TEXT,
    credited_tx TEXT,
    taken_back INTEGER NOT NULL DEFAULT 0,
    moves INTEGER NOT NULL DEFAULT 0,
    ${money('refunded')},
    revision INTEGER NOT NULL DEFAULT 0,
    looks INTEGER NOT NULL DEFAULT 0,
    look_ms INTEGER,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    paid_ms INTEGER,
    CHECK (taken_back BETWEEN 0 AND credits + bonus),
    CHECK (refunded <= amount),
    CHECK ((credited_tx IS NULL) = (paid_ms IS NULL)),
    CHECK (credited_tx IS NOT NULL OR state IN ('created', 'pending', 'failed', 'expired', 'cancelled'))
  )STRICT`,
  // A session and a payment of a gateway belong to one order each.
  'CREATE UNIQUE INDEX payment_orders_ref ON payment_orders (provider, ref) WHERE ref IS NOT NULL',
  'CREATE UNIQUE INDEX payment_orders_payment ON payment_orders (provider, payment_ref) WHERE payment_ref IS NOT NULL',
  'CREATE INDEX payment_orders_user ON payment_orders (user_id, created_ms, id)',
  'CREATE INDEX payment_orders_created ON payment_orders (created_ms, id)',
  'CREATE INDEX payment_orders_state ON payment_orders (state, created_ms, id)',
  'CREATE INDEX payment_orders_package ON payment_orders (package_id)',
  'CREATE INDEX payment_orders_look ON payment_orders (look_ms) WHERE look_ms IS NOT NULL',
];

const NOTICES = [
  `CREATE TABLE payment_events (
    id TEXT NOT NULL PRIMARY KEY,
    ${oneOf('provider', PROVIDERS)},
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    order_id TEXT,
    ${oneOf('outcome', ['received', 'applied', 'ignored', 'waiting', 'unknown', 'mismatch'])},
    reason TEXT,
    notice TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX payment_events_event ON payment_events (provider, event_id)',
  'CREATE INDEX payment_events_order ON payment_events (order_id, received_ms)',
  `CREATE TABLE payment_disputes (
    provider TEXT NOT NULL,
    dispute_id TEXT NOT NULL,
    payment_ref TEXT NOT NULL,
    ${money('amount')},
    ${CURRENCY},
    ${oneOf('state', ['inquiry', 'open', 'taken', 'lost', 'won'])},
    updated_ms INTEGER NOT NULL,
    PRIMARY KEY (provider, dispute_id)
  )KEYED`,
  'CREATE INDEX payment_disputes_payment ON payment_disputes (provider, payment_ref)',
  `CREATE TABLE payment_refunds (
    id TEXT NOT NULL PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES payment_orders (id),
    ${money('amount', 1)},
    ${oneOf('state', ['requested', 'done', 'failed'])},
    reason TEXT NOT NULL,
    actor_id TEXT,
    failure TEXT,
    ref TEXT,
    created_ms INTEGER NOT NULL,
    done_ms INTEGER
  )STRICT`,
  'CREATE INDEX payment_refunds_order ON payment_refunds (order_id, created_ms)',
];

const RECEIPTS = [
  `CREATE TABLE payment_sequences (
    name TEXT NOT NULL PRIMARY KEY,
    last INTEGER NOT NULL CHECK (last >= 0)
  )KEYED`,
  `CREATE TABLE payment_receipts (
    order_id TEXT NOT NULL PRIMARY KEY REFERENCES payment_orders (id),
    number INTEGER NOT NULL UNIQUE CHECK (number > 0),
    label TEXT NOT NULL,
    facts TEXT NOT NULL,
    issued_ms INTEGER NOT NULL
  )KEYED`,
];
