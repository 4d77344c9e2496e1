import type { Discord } from '#server/modules/identities/ports.ts';
import type { SsoClient } from '#server/modules/sso/ports.ts';
import { toPerson } from '../person.ts';

/**
 * Signing in with Discord, over its client. In: one whose consent page leads back to the page of sign-in, and S256 of a
 * PKCE verifier (base64url). Application and addresses are those of the settings.
 */
export function createDiscordSignIn(discord: Discord, challengeOf: (verifier: string) => string): SsoClient {
  return {
    consentUrl: ({ scopes }, { state, verifier }) =>
      Promise.resolve({ kind: 'yes', value: discord.consentUrl(state, challengeOf(verifier), scopes) }),
    async identify(_app, { code }, { verifier }) {
      const granted = await discord.exchange(code, verifier);
      if (granted.kind !== 'yes') return granted;
      if (!granted.value.scopes.includes('identify')) return { kind: 'no', reason: 'refused' };
      const who = await discord.getUser(granted.value.access);
      if (who.kind === 'unknown') return who;
      if (who.kind === 'no') return { kind: 'no', reason: 'refused' };
      const { id, name, fullName, email } = who.value;
      const person = { subject: id, name, username: name, email, fullName, tokens: granted.value };
      return { kind: 'yes', value: toPerson(person) };
    },
  };
}
