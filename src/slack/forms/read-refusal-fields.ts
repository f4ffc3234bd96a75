import { ARRIVALS, type Arrived } from '../../core/accounts/refusal-seen.ts';
import { REFUSAL_MODES, type RefusalMode } from '../../core/accounts/refusals.ts';
import { FIELDS } from '../ui/ids.ts';
import { fieldOf, type ViewValues } from './view-values.ts';

/** What was chosen of the rule for refused lists, and whether others use the key. */
export function readRefusalFields(values: ViewValues): { refusals?: RefusalMode; shared: boolean } {
  const chosen = fieldOf(values, FIELDS.refusals)?.selected_option?.value;
  const refusals = REFUSAL_MODES.find((mode) => mode === chosen);
  const ticked = fieldOf(values, FIELDS.sharedKey)?.selected_options ?? [];
  return { ...(refusals && { refusals }), shared: ticked.length > 0 };
}

/** Whether the check's text arrived, as the admin said. */
export function readArrived(values: ViewValues): Arrived | undefined {
  const chosen = fieldOf(values, FIELDS.arrived)?.selected_option?.value;
  return ARRIVALS.find((each) => each === chosen);
}
