import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { serverLicences } from '#shared/contract/server-licences.ts';

/** Licences of games: the word of a server's owner. */
export const serverLicencesHandlers = ({
  servers,
}: {
  readonly servers: Pick<Servers, 'acceptLicence'>;
}): Handlers<typeof serverLicences> => ({
  async accept(ctx, { params }) {
    await servers.acceptLicence(ctx, params.id);
    return {};
  },
});
