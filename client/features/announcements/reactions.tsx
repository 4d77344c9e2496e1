import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Form } from '#client/ui/form.tsx';
import { REACTION_SIGNS, REACTIONS, type Reaction } from '#shared/announcements.ts';

interface Given {
  readonly reaction: Reaction;
  readonly count: number;
  readonly own: boolean;
}

/** What readers said with a click; each is a button that says it, or takes it back. */
export function Reactions({ given }: { given: readonly Given[] }): ReactNode {
  const t = useT('announcements');
  return (
    <fieldset className="sp-reactions">
      <legend className="sp-sr">{t('reactions')}</legend>
      {REACTIONS.map((reaction) => (
        <ReactionButton
          key={reaction}
          given={given.find((each) => each.reaction === reaction) ?? { reaction, count: 0, own: false }}
        />
      ))}
    </fieldset>
  );
}

function ReactionButton({ given }: { given: Given }): ReactNode {
  const t = useT('announcements');
  const format = useFormat();
  const { viewing } = useShell().session;
  const fetcher = useFetcher();
  // What was clicked shows at once, whatever the server takes.
  const wanted = fetcher.formData === undefined ? given.own : fetcher.formData.get('on') === 'on';
  const count = given.count + (wanted === given.own ? 0 : wanted ? 1 : -1);
  return (
    <Form fetcher={fetcher} noSummary preventScrollReset>
      <input type="hidden" name="reaction" value={given.reaction} />
      <input type="hidden" name="on" value={wanted ? '' : 'on'} />
      <button type="submit" className="sp-reaction" aria-pressed={wanted} disabled={viewing !== undefined}>
        <span aria-hidden="true">{REACTION_SIGNS[given.reaction]}</span>
        <span className="sp-sr">{t(`reaction.${given.reaction}`)}</span>
        {count > 0 && <span>{format.number(count)}</span>}
      </button>
    </Form>
  );
}
