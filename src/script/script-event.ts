/** A step's trigger came true and its commands are carried out. */
export interface StepFired {
  readonly event: 'step.fired';
  /** The step's name, or `step N`. */
  readonly step: string;
  /** The step as an English sentence. */
  readonly sentence: string;
}

/** A moment that steps and expectations can refer to. A step's name is marked when it fired. */
export interface MomentMarked {
  readonly event: 'moment.marked';
  readonly moment: string;
}

/** A command changed what the server does, whether a scenario or a caller gave it. */
export interface CommandPerformed {
  readonly event: 'command.performed';
  /** The command in English, e.g. `release CDS`. */
  readonly sentence: string;
}

export type ScriptEvent = StepFired | MomentMarked | CommandPerformed;
