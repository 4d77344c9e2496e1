import type { ServiceOutcome, TestedService } from '#shared/service-tests.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';

/** Tries a service by the settings that are stored. Never throws for what the service does. */
export type ServiceTest = (ctx: SignedIn) => Promise<ServiceOutcome>;
export type ServiceTests = ReturnType<typeof createServiceTests>;

/**
 * Tests of services elsewhere by the real thing (behaviour 8.4). Only by what is stored: an address that is merely
 * typed never gets a secret (attacks T57).
 */
export function createServiceTests(tests: Readonly<Record<TestedService, ServiceTest>>) {
  return {
    /** Throws FORBIDDEN. */
    test: async (ctx: SignedIn, service: TestedService): Promise<ServiceOutcome> => {
      assertMay(ctx, 'admin.settings.edit');
      return tests[service](ctx);
    },
  };
}
