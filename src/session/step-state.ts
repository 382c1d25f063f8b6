/** A step of the scenario in play. Frozen. */
export interface StepState {
  readonly name: string;
  /** `When the first CDS request arrives, release CDS.` */
  readonly sentence: string;
  readonly optional: boolean;
  /** `never fired`: it still waited when the scenario was stopped. */
  readonly state: 'waiting' | 'fired' | 'never fired';
  /** When it fired, in milliseconds since the timeline began. */
  readonly firedAtMs?: number;
  /** What it waits for, or waited for in vain, in English. */
  readonly waitsFor?: string;
}
