import type { ReactNode, SyntheticEvent } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated, useScripted } from '#client/lib/use-hydrated.ts';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Select } from '#client/ui/select.tsx';
import { Textarea } from '#client/ui/text-input.tsx';
import { MAIL_BLOCK_MAX, MAIL_BLOCKS, MAIL_BLOCKS_MAX, type MailBlock } from '#shared/mails.ts';

/** A block while it is edited. */
export interface EditedBlock extends MailBlock {
  readonly id: number;
}
interface BlocksProps {
  readonly blocks: readonly EditedBlock[];
  readonly onChange: (blocks: readonly EditedBlock[]) => void;
  /** Where the visitor types: variables are put in there. */
  readonly onFocus: (id: number, event: SyntheticEvent<HTMLTextAreaElement>) => void;
  readonly disabled: boolean;
}

/** Blocks with an id each, for the editor. */
export const toEdited = (blocks: readonly MailBlock[]): EditedBlock[] => blocks.map((block, id) => ({ ...block, id }));

/**
 * The content of a mail, block by block. Without scripts there is an empty block at the end for another one, and a
 * block without text is left out.
 */
export function Blocks({ blocks, onChange, onFocus, disabled }: BlocksProps): ReactNode {
  const t = useT('staffMails');
  const hydrated = useHydrated();
  const scripted = useScripted();
  const empty: EditedBlock = { id: Math.max(-1, ...blocks.map(({ id }) => id)) + 1, kind: 'text', text: '' };
  const shown = hydrated || disabled ? blocks : [...blocks, empty];
  const move = (index: number, by: number): void => {
    const next = [...blocks];
    const [taken] = next.splice(index, 1);
    if (taken) next.splice(index + by, 0, taken);
    onChange(next);
  };
  const change = (id: number, patch: Partial<MailBlock>): void =>
    onChange(blocks.map((each) => (each.id === id ? { ...each, ...patch } : each)));
  const kinds = MAIL_BLOCKS.map((value) => ({ value, label: t(`block.${value}`) }));
  return (
    <ol className="sp-mailblocks">
      {shown.map((block, index) => {
        const { id, kind, text } = block;
        const value = hydrated ? { value: kind } : { defaultValue: kind };
        return (
          <li key={id} className="sp-mailblock" data-unscripted={index >= blocks.length || undefined}>
            <div className="sp-mailblock__head">
              <Select
                size="sm"
                name="kind"
                id={`block-${id}-kind`}
                aria-label={t('blockKind', { number: index + 1 })}
                options={kinds}
                disabled={disabled}
                {...value}
                onChange={(event) => {
                  const chosen = MAIL_BLOCKS.find((each) => each === event.currentTarget.value);
                  if (chosen) change(id, { kind: chosen });
                }}
              />
              {!disabled && (
                <span className="sp-mailblock__tools" {...scripted}>
                  <IconButton
                    icon="arrow-up"
                    size="sm"
                    label={t('moveUp', { number: index + 1 })}
                    disabled={index === 0}
                    onClick={() => move(index, -1)}
                  />
                  <IconButton
                    icon="arrow-down"
                    size="sm"
                    label={t('moveDown', { number: index + 1 })}
                    disabled={index === blocks.length - 1}
                    onClick={() => move(index, 1)}
                  />
                  <IconButton
                    icon="trash"
                    size="sm"
                    label={t('removeBlock', { number: index + 1 })}
                    onClick={() => onChange(blocks.filter((each) => each.id !== id))}
                  />
                </span>
              )}
            </div>
            {kind === 'divider' ? (
              <input type="hidden" name="text" value="" />
            ) : (
              <Textarea
                name="text"
                aria-label={t('blockText', { number: index + 1 })}
                id={`block-${id}`}
                rows={kind === 'text' || kind === 'facts' ? Math.min(8, text.split('\n').length + 1) : 1}
                maxLength={MAIL_BLOCK_MAX}
                disabled={disabled}
                {...(hydrated ? { value: text } : { defaultValue: text })}
                onChange={(event) => {
                  onFocus(id, event);
                  change(id, { text: event.currentTarget.value });
                }}
                onFocus={(event) => onFocus(id, event)}
                onSelect={(event) => onFocus(id, event)}
              />
            )}
            {kind === 'facts' && <p className="sp-muted">{t('factsHint')}</p>}
          </li>
        );
      })}
      {!disabled && blocks.length < MAIL_BLOCKS_MAX && (
        <li className="sp-mailblock__add" {...scripted}>
          <Button size="sm" icon="plus" onClick={() => onChange([...blocks, empty])}>
            {t('addBlock')}
          </Button>
        </li>
      )}
    </ol>
  );
}
