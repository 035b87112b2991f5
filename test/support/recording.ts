/**
 * Whether tests talk to real servers and to real Ansible, or hear what these answered before.
 *
 * TSPROV_RECORDED=record keeps the answers beside the tests, `replay` answers with them and starts nothing that takes
 * minutes to build or to play. Without it everything is real.
 */
const mode = process.env['TSPROV_RECORDED'];

/** Answers come from files. */
export const isReplayed = mode === 'replay';
/** Answers are real, and are kept in files. */
export const isRecording = mode === 'record';
