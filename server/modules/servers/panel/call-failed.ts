/** The panel did not do it: thrown to the runner of jobs, which tries again after a growing pause, for ever. */
export class PanelCallFailed extends Error {
  constructor(outcome: string) {
    super(`the panel answered ${outcome}`);
    this.name = 'PanelCallFailed';
  }
}
