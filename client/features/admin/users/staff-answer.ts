import type { FormResult } from '#client/lib/form-action.ts';

/** The outcome of a form of the tabs beside the overview: which one was sent, and what came of it. */
export type StaffAnswer =
  | {
      readonly intent:
        | 'ban'
        | 'unban'
        | 'verify'
        | 'setRole'
        | 'addNote'
        | 'deleteNote'
        | 'revokeToken'
        | 'removePasskey'
        | 'unlink'
        | 'disableFactor'
        | 'saveUsername'
        | 'saveProfile'
        | 'saveEmail'
        | 'saveLimits'
        | 'viewAs';
      readonly result: FormResult<null>;
    }
  | { readonly intent: 'endSessions'; readonly result: FormResult<{ readonly ended: number }> };
