/** Whether a text is the content that git calls by these first digits; `null` where the browser cannot tell. */
export async function isBlob(text: string, digits: string): Promise<boolean | null> {
  // A page that came without TLS, and not from this machine, has no means for it.
  if (!("subtle" in crypto)) return null;
  const content = new TextEncoder().encode(text);
  const head = new TextEncoder().encode(`blob ${content.length}\0`);
  const whole = new Uint8Array(head.length + content.length);
  whole.set(head);
  whole.set(content, head.length);
  for (const kind of ["SHA-1", "SHA-256"]) {
    const hash = new Uint8Array(await crypto.subtle.digest(kind, whole));
    const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hex.startsWith(digits)) return true;
  }
  return false;
}
