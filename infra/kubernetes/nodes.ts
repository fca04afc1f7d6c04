// How Kubernetes knows the GPUs of the catalogue: the label that NVIDIA's feature discovery puts on a
// node, and the memory, which bounds what weights can need on disk.
import type { Model } from "../../src/contract/catalogue.ts";

interface GpuNode {
  /** Values of `nvidia.com/gpu.product`. */
  products: readonly string[];
  memoryGi: number;
}

const h100 = { products: ["NVIDIA-H100-80GB-HBM3"], memoryGi: 80 };

/** A GPU that joins the catalogue's list does not compile until it has its row. */
const gpuNodes: Readonly<Record<Exclude<Model["gpu"], "none">, GpuNode>> = {
  T4: { products: ["Tesla-T4"], memoryGi: 16 },
  L4: { products: ["NVIDIA-L4"], memoryGi: 24 },
  A10: { products: ["NVIDIA-A10", "NVIDIA-A10G"], memoryGi: 24 },
  L40S: { products: ["NVIDIA-L40S"], memoryGi: 48 },
  "A100-40GB": { products: ["NVIDIA-A100-SXM4-40GB", "NVIDIA-A100-PCIE-40GB"], memoryGi: 40 },
  "A100-80GB": { products: ["NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-80GB-PCIe"], memoryGi: 80 },
  "RTX-PRO-6000": {
    products: ["NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition"],
    memoryGi: 96,
  },
  H100: h100,
  // Modal's word for an H100 that it may not replace by an H200; a node is never replaced.
  "H100!": h100,
  H200: { products: ["NVIDIA-H200"], memoryGi: 141 },
  B200: { products: ["NVIDIA-B200"], memoryGi: 180 },
  B300: { products: ["NVIDIA-B300-SXM6-AC"], memoryGi: 288 },
};

export function nodeOf({ id, gpu }: Model): GpuNode {
  if (gpu === "none") throw new Error(`${id} runs without a GPU`);
  return gpuNodes[gpu];
}
