import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { linkTarget } from '#shared/schemas/redirect-links.ts';
import { DAY } from '#shared/time.ts';
import { codeOf } from '#tests/support/codes.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.6.
