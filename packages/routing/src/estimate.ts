/** Means that forget: a sample counts half as much after each half-life. */

/** A decaying mean. Costs one power of two a sample, and holds no samples. */
export class Estimate {
  readonly #halfLifeMs: number;
  #sum = 0;
  #weight = 0;
  #at = 0;

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs;
  }

  /** Takes a sample. */
  add(value: number, now: number): void {
    const kept = this.#kept(now);
    this.#sum = this.#sum * kept + value;
    this.#weight = this.#weight * kept + 1;
    this.#at = now;
  }

  /** The mean; nothing before the first sample. */
  get mean(): number | undefined {
    return this.#weight === 0 ? undefined : this.#sum / this.#weight;
  }

  /** How many fresh samples the mean is worth. */
  weight(now: number): number {
    return this.#weight * this.#kept(now);
  }

  /** Forgets all samples. */
  clear(): void {
    this.#sum = 0;
    this.#weight = 0;
  }

  #kept(now: number): number {
    return 2 ** ((this.#at - now) / this.#halfLifeMs);
  }
}
