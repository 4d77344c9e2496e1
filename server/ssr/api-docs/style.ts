/** The style of the reference’s pages: on these alone, under their nonce. */
export const STYLE = `
.sp-docs { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: var(--s-6); max-width: 90rem; margin: 0 auto; padding: var(--s-5); align-items: start; }
.sp-docs[data-code] { grid-template-columns: 15rem minmax(0, 1fr) minmax(0, 26rem); }
.sp-docs__top { display: flex; flex-wrap: wrap; gap: var(--s-3) var(--s-5); align-items: center; padding: var(--s-3) var(--s-5); border-bottom: 1px solid var(--border); }
.sp-docs__top > :first-child { flex: 1; }
.sp-docs__top search { flex: 0 1 20rem; }
.sp-docs__top .sp-input { width: 100%; }
.sp-docs__jump { display: none; }
.sp-docs__nav { display: grid; gap: var(--s-1); font-size: var(--fs-2); position: sticky; top: var(--s-4); max-height: calc(100vh - 2 * var(--s-4)); overflow: auto; }
.sp-docs__nav ul { list-style: none; padding: 0; margin: 0; }
.sp-docs__nav h2 { margin: var(--s-4) 0 var(--s-1); padding: 0 var(--s-2); font-size: var(--fs-1); font-weight: var(--fw-normal, 400); color: var(--text-muted); }
.sp-ep { display: flex; gap: var(--s-2); align-items: center; min-height: 2rem; padding: var(--s-1) var(--s-2); border-radius: var(--radius-md); color: var(--text-soft); text-decoration: none; overflow-wrap: anywhere; }
.sp-ep:hover, .sp-ep[aria-current] { background: var(--surface-2); color: var(--text); }
.sp-verb { flex: none; min-width: 3.25rem; font: 600 0.6875rem/1.25rem var(--font-mono); color: var(--text-muted); }
.sp-verb[data-verb='GET'] { color: var(--info-text); }
.sp-verb[data-verb='POST'] { color: var(--positive-text); }
.sp-verb[data-verb='PATCH'], .sp-verb[data-verb='PUT'] { color: var(--warning-text); }
.sp-verb[data-verb='DELETE'] { color: var(--danger-text); }
.sp-docs__main { display: grid; gap: var(--s-3); grid-template-columns: minmax(0, 1fr); min-width: 0; }
.sp-docs__main h1 { font-size: var(--fs-6); overflow-wrap: anywhere; }
.sp-docs__main h2 { font-size: var(--fs-4); margin-top: var(--s-4); }
.sp-docs__main p, .sp-docs__main li { max-width: 46rem; }
.sp-docs__main ul:not([class]) { padding-left: 1.25rem; display: grid; gap: var(--s-2); }
.sp-docs__main :not(pre) > code, .sp-docs__nav code { font-size: 0.9em; overflow-wrap: anywhere; }
.sp-ephead { display: flex; gap: var(--s-2); align-items: center; padding: var(--s-2) var(--s-3); border: 1px solid var(--border); border-radius: var(--radius-lg); background: var(--surface-1); }
.sp-ephead code { flex: 1; overflow-wrap: anywhere; }
.sp-docs__facts { display: flex; flex-wrap: wrap; gap: var(--s-2); list-style: none; padding: 0; margin: 0; }
.sp-docs__table table { width: 100%; border-collapse: collapse; font-size: var(--fs-2); }
.sp-docs__table th, .sp-docs__table td { text-align: left; vertical-align: top; padding: var(--s-2) var(--s-3) var(--s-2) 0; border-top: 1px solid var(--border); overflow-wrap: anywhere; }
.sp-docs__table thead th { border-top: 0; font-size: var(--fs-1); font-weight: 400; color: var(--text-muted); }
.sp-docs__code { display: grid; gap: var(--s-2); grid-template-columns: minmax(0, 1fr); position: sticky; top: var(--s-4); }
.sp-docs__ch { display: flex; flex-wrap: wrap; gap: var(--s-2); justify-content: space-between; align-items: center; }
.sp-docs pre { margin: 0; padding: var(--s-3); white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--border); border-radius: var(--radius-lg); background: var(--surface-1); font: var(--fs-1)/1.6 var(--font-mono); tab-size: 2; }
.sp-docs__langs { display: flex; gap: var(--s-1); }
.sp-docs__langs a { padding: var(--s-1) var(--s-3); border-radius: var(--radius-md); color: var(--text-soft); text-decoration: none; font-size: var(--fs-2); }
.sp-docs__langs a[aria-current] { background: var(--surface-2); color: var(--text); }
.sp-docs [data-copy][hidden] { display: none; }
@media (max-width: 1200px) { .sp-docs[data-code] { grid-template-columns: 15rem minmax(0, 1fr); } .sp-docs__code { grid-column: 2; position: static; } }
@media (max-width: 767px) {
  .sp-docs, .sp-docs[data-code] { grid-template-columns: minmax(0, 1fr); padding: var(--s-4); gap: var(--s-4); }
  .sp-docs__code { grid-column: 1; }
  .sp-docs__nav { position: static; max-height: none; order: 3; }
  .sp-docs__jump { display: inline; }
  .sp-docs__top { padding: var(--s-3) var(--s-4); }
  .sp-docs__top search { flex: 1 0 100%; }
  .sp-docs__table thead { display: none; }
  .sp-docs__table tr { display: flex; flex-wrap: wrap; gap: 0 var(--s-2); padding: var(--s-2) 0; border-top: 1px solid var(--border); }
  .sp-docs__table th, .sp-docs__table td { display: block; padding: 0; border: 0; }
  .sp-docs__table td:last-child { flex-basis: 100%; }
}
`;

/** Copies an example; without scripts there is no button. */
export const SCRIPT = `
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
  });
}
`;
