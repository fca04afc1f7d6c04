/**
 * Writes to the object's disk. What memory says was decided already, so where the write fails the object
 * ends, and the next call reads what is on disk.
 */
export function writeOrEnd(context: DurableObjectState, write: () => void): void {
  try {
    write();
  } catch (failure) {
    context.abort("a write failed");
    throw failure;
  }
}
