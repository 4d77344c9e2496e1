import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { createTokenInput } from '#shared/schemas/api-token.ts';
import type { TokenScope } from '#shared/token-scopes.ts';

/** A token just made: it is shown this once. */
export interface FreshToken {
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly TokenScope[];
}
/** What was sent, and what became of it. */
export type TokensAnswer =
  | { readonly intent: 'createToken'; readonly result: FormResult<FreshToken> }
  | { readonly intent: 'revokeToken' | 'revokeTokens'; readonly result: FormResult<{ revoked: number }> };

/** Whether an answer of the account page is about tokens. */
export function isTokensAnswer(answer: { readonly intent: string }): answer is TokensAnswer {
  return answer.intent === 'createToken' || answer.intent === 'revokeToken' || answer.intent === 'revokeTokens';
}

/** Makes a token, revokes one, or all of them. In: the form, which says by `_intent` what is wanted. */
export async function changeTokens(api: Api, request: Request, form: FormData): Promise<TokensAnswer | Response> {
  if (form.get('_intent') === 'createToken') {
    const result = await submitForm(request, createTokenInput, async (body): Promise<FreshToken> => {
      const { token } = await api.apiTokens.create({ body });
      return { name: body.name, token, scopes: body.scopes };
    });
    return result instanceof Response ? result : { intent: 'createToken', result };
  }
  const isAll = form.get('_intent') === 'revokeTokens';
  try {
    const revoked = isAll ? (await api.apiTokens.revokeAll()).revoked : 1;
    if (!isAll) await api.apiTokens.revoke({ params: { id: String(form.get('id')) } });
    return { intent: isAll ? 'revokeTokens' : 'revokeToken', result: { ok: true, result: { revoked }, at: '' } };
  } catch (error) {
    return { intent: isAll ? 'revokeTokens' : 'revokeToken', result: toFormFailure(error, form) };
  }
}
