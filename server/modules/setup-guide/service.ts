import type { ServiceOutcome, TestedService } from '#shared/service-tests.ts';
import type { SettingValues } from '#shared/settings.ts';
import {
  SETUP_STEPS,
  type SetupCheck,
  type SetupCheckCode,
  type SetupState,
  type SetupStep,
} from '#shared/setup-guide.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import {
  checkAddress,
  checkBackup,
  checkCatalogue,
  checkEarning,
  checkLegal,
  checkMailServer,
  checkNewUsers,
  checkPanels,
  checkPayments,
  findGuidePanel,
  type SetupFacts,
} from './checks.ts';
import type { StoredStep } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
  readonly appUrl: () => string;
  readonly mailServer: () => SetupFacts['mailServer'];
  /** `embedded`: there is a panel inside. */
  readonly driver: string;
  /** Asks what runs servers of the panel inside whether it answers; null: they are imitated. */
  readonly nodeAnswers: (() => Promise<boolean>) | null;
  /** Fills an empty catalogue with samples; false where it holds something. */
  readonly seedSample: (tx: Tx) => Promise<boolean>;
  /** Tries a service elsewhere by what is stored. */
  readonly testService: (ctx: SignedIn, service: TestedService) => Promise<ServiceOutcome>;
  /** Asks a panel over HTTP what its keys may do, and keeps the answer. Throws NOT_FOUND. */
  readonly testPanel: (ctx: SignedIn, id: string) => Promise<unknown>;
  readonly backups: {
    readonly standing: () => SetupFacts['backup'];
    /** Makes a backup and proves it where there is none that is; waits for it for a moment. */
    readonly ensureProven: (ctx: SignedIn) => Promise<void>;
  };
}
/** A step as it stands. */
interface StepView {
  readonly step: SetupStep;
  readonly state: SetupState;
  readonly checks: readonly SetupCheck[];
}
export type SetupGuide = ReturnType<typeof createSetupGuide>;

/** What each step looks at without asking anybody else. */
const CHECKS: Readonly<Record<SetupStep, (facts: SetupFacts) => SetupCheck[]>> = {
  address: checkAddress,
  mail: checkMailServer,
  panel: checkPanels,
  catalogue: checkCatalogue,
  newUsers: checkNewUsers,
  earning: checkEarning,
  payments: checkPayments,
  legal: checkLegal,
  backup: checkBackup,
};
/** The services that a step asks where what it knows is fine. */
const OUTSIDE: Readonly<
  Partial<
    Record<
      SetupStep,
      readonly {
        readonly service: TestedService;
        readonly code: SetupCheckCode;
        /** Absent: always asked. */
        readonly isOn?: (values: SettingValues) => boolean;
        /** It keeps nothing from being done. */
        readonly isAdvice?: true;
      }[]
    >
  >
> = {
  mail: [{ service: 'mail', code: 'mailTaken' }],
  earning: [
    {
      service: 'discord',
      code: 'discordTaken',
      isOn: ({ j4r_enabled, discord_client_secret }) => j4r_enabled && discord_client_secret !== '',
      isAdvice: true,
    },
  ],
  payments: [
    { service: 'stripe', code: 'stripeTaken', isOn: ({ stripe_enabled }) => stripe_enabled },
    { service: 'paypal', code: 'paypalTaken', isOn: ({ paypal_enabled }) => paypal_enabled },
  ],
};
/** Whether nothing failed. */
const isFine = (checks: readonly SetupCheck[]): boolean => checks.every(({ state }) => state !== 'failed');

/**
 * The guide through the first hour of a host: every step shows what it is for, checks itself by the real thing, and can
 * be left out. What was completed once is open again when it is not right any more.
 */
export function createSetupGuide(deps: Deps) {
  const { uow, clock, settings, appUrl, mailServer, driver } = deps;

  /** Everything that the checks look at. In: the origin by which the caller's browser reached the page. */
  async function readFacts(origin: string): Promise<{ facts: SetupFacts; stored: StoredStep[]; isEmpty: boolean }> {
    const node = (await deps.nodeAnswers?.()) ?? null;
    return uow.read(async (tx) => {
      const { locations, categories, eggs } = await tx.catalog.counts();
      return {
        facts: await readStored(tx, origin, node),
        stored: await tx.setup.list(),
        isEmpty: locations + categories + eggs === 0,
      };
    });
  }

  async function readStored(tx: Tx, origin: string, node: boolean | null): Promise<SetupFacts> {
    const categories = new Set((await tx.catalog.categories()).filter(({ enabled }) => enabled).map(({ id }) => id));
    return {
      values: settings.current(),
      appUrl: appUrl(),
      origin,
      mailServer: mailServer(),
      builtIn: driver === 'embedded',
      node,
      backup: deps.backups.standing(),
      panels: await tx.panels.list(),
      locations: await tx.catalog.locations(),
      eggs: (await tx.catalog.eggs()).filter(({ enabled, categoryId }) => enabled && categories.has(categoryId)),
    };
  }

  /** Where every step stands. In: the origin by which the caller's browser reached the page, where it is known. */
  async function get(ctx: SignedIn, origin: string) {
    assertMay(ctx, 'admin.root');
    const { facts, stored, isEmpty } = await readFacts(origin);
    const rows = new Map(stored.map((row) => [row.step, row]));
    const steps = SETUP_STEPS.map((step): StepView => {
      const checks = CHECKS[step](facts);
      return { step, state: stateOf(rows.get(step), checks, evidenceOf(step, facts)), checks };
    });
    return {
      finished: steps.every(({ state }) => state !== 'open'),
      steps,
      address: facts.appUrl,
      builtIn: facts.builtIn,
      catalogueEmpty: isEmpty,
    };
  }

  /** Checks a step, by the real thing where another service is part of it, and notes it as done where nothing failed. */
  async function complete(ctx: SignedIn, step: SetupStep, origin: string): Promise<Omit<StepView, 'step'>> {
    assertMay(ctx, 'admin.root');
    if (step === 'backup') await deps.backups.ensureProven(ctx);
    if (step === 'panel') await askPanel(ctx);
    const { facts } = await readFacts(origin);
    const known = CHECKS[step](facts);
    const checks = isFine(known) ? [...known, ...(await checkOutside(ctx, step, facts.values))] : known;
    if (!isFine(checks)) return { state: 'open', checks };
    await save(step, 'done', evidenceOf(step, facts));
    return { state: 'done', checks };
  }

  /** Asks the panel that the guide judges how it stands just now; its answer is stored, and judged by from there. */
  async function askPanel(ctx: SignedIn): Promise<void> {
    const panel = findGuidePanel(await uow.read((tx) => tx.panels.list()));
    if (panel) await deps.testPanel(ctx, panel.id);
  }

  /** The checks of a step that ask another service. */
  async function checkOutside(ctx: SignedIn, step: SetupStep, values: SettingValues): Promise<SetupCheck[]> {
    const checks: SetupCheck[] = [];
    for (const { service, code, isOn, isAdvice } of OUTSIDE[step] ?? []) {
      if (isOn && !isOn(values)) continue;
      const { outcome, fact } = await deps.testService(ctx, service);
      checks.push({ code, state: outcome === 'ok' ? 'ok' : isAdvice ? 'warning' : 'failed', fact });
    }
    return checks;
  }

  const save = (step: SetupStep, state: StoredStep['state'], evidence: string) =>
    uow.run((tx) => tx.setup.save({ step, state, evidence, atMs: clock.now() }));

  return {
    get,
    complete,
    /** Leaves a step out. */
    skip: permitted('admin.root', (_: SignedIn, step: SetupStep) => save(step, 'skipped', '')),
    /** Fills an empty catalogue with samples. Out: whether it was empty. Throws FORBIDDEN. */
    addSample: async (ctx: SignedIn) => {
      assertMay(ctx, 'admin.root');
      return uow.run(async (tx) => {
        // Two owners at once: the second one finds what the first one added.
        await tx.settings.lock();
        return { added: await deps.seedSample(tx) };
      });
    },
  };
}

/** What a step was completed for, where that can become another: an address, a mail server. */
function evidenceOf(step: SetupStep, { appUrl, mailServer }: SetupFacts): string {
  if (step === 'address') return appUrl;
  return step === 'mail' ? `${mailServer?.host ?? ''} ${mailServer?.fromAddress ?? ''}` : '';
}

/**
 * How a step stands. The checks of an address are those of whoever looks just now: they say nothing against what was
 * proven from elsewhere.
 */
function stateOf(stored: StoredStep | undefined, checks: readonly SetupCheck[], evidence: string): SetupState {
  if (stored?.state !== 'done') return stored?.state ?? 'open';
  const holds = stored.step === 'address' || isFine(checks);
  return holds && stored.evidence === evidence ? 'done' : 'open';
}
