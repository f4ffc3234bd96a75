import type { ViewStateValue } from '@slack/bolt';
import type { GivenFile } from '../files/download-file.ts';
import { FIELDS } from '../ui/ids.ts';
import { LIST_FIELD_ERRORS } from '../ui/lists/bulk-form.ts';
import { chosenIn, type FieldErrors, type FormMetadata, fieldOf, type ViewValues } from './form-data.ts';

export interface ListFields {
  channel: string;
  source: { kind: 'pasted'; text: string } | { kind: 'file'; file: GivenFile };
  template: string;
  phoneColumn?: number;
}

/** Reads the list form; `errors` by block if there is no list, or more than one. */
export function readListFields(
  values: ViewValues,
  metadata: FormMetadata,
): ListFields | { errors: FieldErrors } {
  const pasted = fieldOf(values, FIELDS.recipients)?.value ?? '';
  const [attached] = fieldOf(values, FIELDS.csvFile)?.files ?? [];
  const isPasted = pasted.trim() !== '';
  if (isPasted && attached) {
    const { two } = LIST_FIELD_ERRORS;
    return { errors: { [FIELDS.recipients]: two, [FIELDS.csvFile]: two } };
  }
  const file = attached ? givenFile(attached) : isPasted ? undefined : metadata.file;
  if (!file && !isPasted) {
    return { errors: { [FIELDS.recipients]: LIST_FIELD_ERRORS.none } };
  }
  const phoneColumn = columnOf(values, metadata, file?.id);
  return {
    channel: metadata.channel ?? chosenIn(values, FIELDS.channel) ?? '',
    source: file ? { kind: 'file', file } : { kind: 'pasted', text: pasted },
    template: fieldOf(values, FIELDS.message)?.value ?? '',
    ...(phoneColumn === undefined ? {} : { phoneColumn }),
  };
}

/** In Slack Connect a file may come as its id only: docs.slack.dev/reference/objects/file-object. */
function givenFile(file: NonNullable<ViewStateValue['files']>[number]): GivenFile {
  const { id, name = '', url_private_download: url, file_access: access } = file;
  return { id, name, ...(url && access !== 'check_file_info' ? { url } : {}) };
}

/** The chosen column, if we asked about the list that is submitted now. */
function columnOf(values: ViewValues, { file, phoneColumn }: FormMetadata, submitted: string | undefined) {
  if (submitted !== file?.id) return undefined;
  const chosen = chosenIn(values, FIELDS.phoneColumn);
  if (chosen !== undefined) return Number(chosen);
  return submitted === undefined ? undefined : phoneColumn;
}
