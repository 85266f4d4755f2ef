import { minimised } from './minimise.ts';
import { faultsOf, type BothServed, type Case } from './play.ts';

/** @throws an error with the case to keep, if something tells of a hidden row in it */
export async function expectNoFaults(given: Case, served: BothServed): Promise<void> {
  const found = await faultsOf(given, served);
  if (found.length > 0) {
    const least = await minimised(given, served);
    const faults = await faultsOf(least, served);
    // One that depends on chance may not be there again.
    const told = faults.length === 0 ? found : faults;
    throw new Error(
      `${told.join('\n')}\nTo keep the case, write this to a file in test/visible-rows/cases:\n${JSON.stringify(least)}`,
    );
  }
}
