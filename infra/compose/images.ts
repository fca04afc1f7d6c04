// The images beside vLLM's, each pinned: a tag can be moved, a digest cannot.

export const NGINX_IMAGE =
  "nginx:1.30.4-alpine@sha256:dc5069ad14f19660b141b21236140b91656bf89bbc3e2417c70ae650cd66104c";

export const CLOUDFLARED_IMAGE =
  "cloudflare/cloudflared:2026.7.3@sha256:e39ee8da81ad5e05d77f38d2f51c60ca51bf2a8450ac3abab50c17fdb91d91bf";
