/**
 * Positions an open popover under its button in browsers without CSS anchor positioning. The properties are set on the
 * element's style object, which the content security policy allows.
 */
export function positionPopover(popover: HTMLElement | null, button: HTMLElement | null): void {
  if (!popover || !button || CSS.supports('position-area', 'block-end')) return;
  const from = button.getBoundingClientRect();
  const box = popover.getBoundingClientRect();
  const gap = 4;
  const below = from.bottom + gap + box.height <= window.innerHeight;
  const top = below ? from.bottom + gap : Math.max(gap, from.top - gap - box.height);
  const left = Math.min(Math.max(gap, from.right - box.width), window.innerWidth - box.width - gap);
  popover.style.setProperty('inset', 'auto');
  popover.style.setProperty('margin', '0');
  popover.style.setProperty('top', `${top}px`);
  popover.style.setProperty('left', `${left}px`);
}
