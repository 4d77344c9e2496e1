import { Fragment, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { usePageKeys } from '#client/lib/page-keys.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';

/** What the keys do, and which they are. */
const KEYS = {
  move: ['J', 'K'],
  open: ['↵'],
  select: ['X'],
  reply: ['R'],
  note: ['N'],
  assign: ['A'],
  close: ['E'],
  search: ['/'],
  help: ['?'],
} as const;
type KeyName = keyof typeof KEYS;

/** Does what keys say, and shows with `?` which keys a page knows. Where scripts are off there are none. */
export function TicketKeys(props: { names: readonly KeyName[]; onKey: (key: string) => boolean }): ReactNode {
  const { names, onKey } = props;
  const t = useT('ticketInbox');
  const [isOpen, open] = useState(false);
  usePageKeys((key) => {
    if (key !== '?') return onKey(key);
    open(true);
    return true;
  });
  return (
    <>
      <span className="sp-hide-phone">
        <Button variant="ghost" size="sm" aria-keyshortcuts="?" onClick={() => open(true)}>
          {t('keys.button')} <kbd className="sp-kbd">?</kbd>
        </Button>
      </span>
      <Dialog open={isOpen} title={t('keys.title')} onClose={() => open(false)}>
        <dl className="sp-keys">
          {[...names, 'help' as const].map((name) => (
            <Fragment key={name}>
              <dt>
                {KEYS[name].map((key) => (
                  <kbd key={key} className="sp-kbd">
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{t(`keys.${name}`)}</dd>
            </Fragment>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
