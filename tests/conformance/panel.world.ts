import type {
  Panel,
  PanelAnswer,
  PanelPlacement,
  PanelServer,
  PanelServerSpec,
} from '#server/modules/servers/index.ts';

/** In what panels differ by their nature. What is not here, all of them do alike. */
export interface PanelFacts {
  /** There is a client API behind it: usage, power, and pages to open. */
  readonly live: boolean;
  /** Ports are chosen by us; otherwise the panel counts them. */
  readonly placed: boolean;
  /** An address can belong to one account alone. */
  readonly ownAddresses: boolean;
  /** Servers in a page of the list. */
  readonly pageSize: number;
}
/** What a panel holds of an account and of a server, past the port. */
export interface Inside {
  account(userId: string): Promise<{ readonly username: string; readonly email: string } | null>;
  environment(panelId: string): Promise<Readonly<Record<string, string>> | null>;
}
export interface PanelUnderTest {
  readonly panel: Panel;
  readonly facts: PanelFacts;
  readonly inside: Inside;
  /** A place the panel can put servers at. */
  readonly location: PanelServerSpec['location'];
  readonly egg: PanelServerSpec['egg'];
  /** The first ports that are free, as a place; null where the panel counts them. */
  place(ports: number): PanelPlacement | null;
  /** Waits (or turns the clock) until installations that were begun have ended. */
  finishInstalls(): Promise<void>;
  /** Lets so much time pass that usage is measured again. */
  refreshUsage(): void;
  close(): Promise<void>;
}

/** What was wanted of an answer that is a success. */
export function okOf<T>(answer: PanelAnswer<T>): T {
  if (answer.outcome !== 'ok') throw new Error(`the panel answered ${JSON.stringify(answer)}`);
  return answer.value;
}
/** What the tests ask for, unless told. */
export const person = {
  externalId: 'user-1',
  username: 'ada',
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'B',
};
export const bob = { ...person, externalId: 'user-2', username: 'bob', email: 'bob@example.test' };
export const resources = { memory: 1024, disk: 2048, cpu: 100, ports: 2, databases: 1, backups: 1 };
export const environment = { SERVER_JARFILE: 'server.jar', MOTD: 'hello' };

/** A panel with an account in it, and what the groups of tests ask of it. */
export class World {
  readonly it: PanelUnderTest;
  readonly user: string;
  constructor(it: PanelUnderTest, user: string) {
    this.it = it;
    this.user = user;
  }
  spec(facts: Partial<PanelServerSpec> = {}): PanelServerSpec {
    const { location, egg } = this.it;
    const asked = facts.resources ?? resources;
    return {
      externalId: 'server-1',
      userId: this.user,
      name: 'Lanternwood',
      description: 'first',
      location,
      placement: this.it.place(asked.ports),
      egg,
      resources: asked,
      environment,
      ...facts,
    };
  }
  async server(facts: Partial<PanelServerSpec> = {}): Promise<PanelServer> {
    return okOf(await this.it.panel.createServer(this.spec(facts)));
  }
  /** One that is installed. */
  async ready(facts: Partial<PanelServerSpec> = {}): Promise<PanelServer> {
    const { panelId } = await this.server(facts);
    await this.it.finishInstalls();
    return okOf(await this.it.panel.readServer(panelId));
  }
}
/** The world of the test that runs. */
export type Get = () => World;
