import { findAssignments } from './assignment.ts';
import type { Detector, Report } from './detector.ts';
import { MIN_FORMAT_LENGTH, namedSecrets, secretFormats } from './secret-formats.ts';

const privateKeyStart = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const privateKeyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** Keys, tokens and passwords: by their form, or by the name that they are assigned to. */
export const secret: Detector = {
  name: 'secret',
  traits: 0,
  find(text, report) {
    if (text.length >= MIN_FORMAT_LENGTH) {
      if (text.includes('-----BEGIN')) findPrivateKeys(text, report);
      for (const { needles, expression } of secretFormats) {
        if (!needles.some((needle) => text.includes(needle))) continue;
        for (const { 0: found, index } of text.matchAll(expression)) report(index, index + found.length);
      }
    }
    for (const { hint, expression } of namedSecrets) {
      if (!hint.test(text)) continue;
      for (const { indices } of text.matchAll(expression)) {
        const range = indices?.[1];
        if (range !== undefined) report(range[0], range[1]);
      }
    }
    findAssignments(text, report);
  },
};

/** PEM (RFC 7468) and OpenPGP. A key without an end reaches to the end of the text. */
function findPrivateKeys(text: string, report: Report): void {
  privateKeyStart.lastIndex = 0;
  for (let begin = privateKeyStart.exec(text); begin !== null; begin = privateKeyStart.exec(text)) {
    privateKeyEnd.lastIndex = privateKeyStart.lastIndex;
    const end = privateKeyEnd.exec(text) === null ? text.length : privateKeyEnd.lastIndex;
    report(begin.index, end);
    privateKeyStart.lastIndex = end;
  }
}
