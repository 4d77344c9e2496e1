import { tryImageStorage, type Copies } from '../backups/remote/copies.ts';
import { openImap } from '../mail/imap.ts';
import type { Backups } from '../modules/backups/index.ts';
import { createCatalog } from '../modules/catalog/index.ts';
import { createTestMail } from '../modules/mailing/index.ts';
import { createServiceTests } from '../modules/settings/index.ts';
import { createSetupGuide } from '../modules/setup-guide/index.ts';
import type { createPushTest } from '../modules/notifications/index.ts';
import type { Panels } from '../modules/panels/index.ts';
import { createTestsOfServices } from '../service-tests/index.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';
import { composeMailTransport } from './mail.ts';
import { nodeAnswers } from './node-of.ts';

/**
 * The catalogue, the way out for e-mails, tests of services, and the guide through the first hour of a host, which
 * tries them.
 */
export function composeSetupGuide(
  foundation: Foundation,
  {
    config,
    backups,
    backupCopies,
    testPush,
    panels,
  }: Pick<ServiceDeps, 'config'> & {
    readonly backups: Backups;
    readonly backupCopies: Copies;
    readonly testPush: ReturnType<typeof createPushTest>;
    readonly panels: Pick<Panels, 'test'>;
  },
) {
  const driver = config.panelDriver ?? 'embedded';
  const catalog = createCatalog(foundation);
  const mailTransport = composeMailTransport(foundation.mailServer);
  const sendTestMail = createTestMail({ ...foundation, transport: mailTransport });
  const tryImages = (name: string) =>
    tryImageStorage({ settings: foundation.settings, fetch: foundation.outbound }, name);
  const serviceTests = createServiceTests(
    createTestsOfServices({ ...foundation, sendTestMail, backupCopies, openMailbox: openImap, testPush, tryImages }),
  );
  const setupGuide = createSetupGuide({
    ...foundation,
    driver,
    nodeAnswers: nodeAnswers(config),
    backups,
    seedSample: catalog.seedSample,
    testService: serviceTests.test,
    testPanel: panels.test,
  });
  return { driver, catalog, mailTransport, serviceTests, setupGuide };
}
