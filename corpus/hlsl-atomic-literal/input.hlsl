// The trees of a small game: wind moves the leaves, and lamps light them from behind.

#define LAMPS 4
#define TAU 6.2831853

cbuffer Scene : register(b0) {
    float4x4 view;
    float4x4 projection;
    float4 eye;
    float time;
    int season;
    bool night;
};

cbuffer Trees : register(b1) {
    float4 tints[4];
    float3 wind;
    float stiffness;
};

struct Lamp {
    float3 place;
    float reach;
    float4 color;
};

struct Leaf {
    float4 place : SV_Position;
    float3 world : TEXCOORD0;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD1;
    nointerpolation uint kind : KIND;
};

struct Shaded {
    float4 color : SV_Target0;
    float4 glow : SV_Target1;
};

StructuredBuffer<Lamp> lamps : register(t0);
Texture2D<float4> leaves : register(t1);
Texture2D<float> shadows : register(t2);
RWByteAddressBuffer counters : register(u0);
TextureCube sky : register(t3);
SamplerState smooth : register(s0);
SamplerComparisonState compare : register(s1);

static const float3 UP = float3(0.0, 1.0, 0.0);
static const float FALLOFF[3] = { 1.0, 0.35, 0.44 };

float hash(float2 p) {
    return frac(sin(dot(p, float2(12.9898, 78.233))) * 43758.5453);
}

float3x3 turn(float angle, float3 axis) {
    float s, c;
    sincos(angle, s, c);
    float3 a = normalize(axis) * (1.0 - c);
    float3x3 result = float3x3(
        c + a.x * axis.x, a.x * axis.y - s * axis.z, a.x * axis.z + s * axis.y,
        a.y * axis.x + s * axis.z, c + a.y * axis.y, a.y * axis.z - s * axis.x,
        a.z * axis.x - s * axis.y, a.z * axis.y + s * axis.x, c + a.z * axis.z);
    return result;
}

float3 sway(float3 world, uint kind) {
    float gust = sin(time * TAU * 0.2 + dot(world.xz, wind.xz));
    float3x3 bend = turn(gust * 0.1 / max(stiffness, 0.1), cross(UP, wind));
    if (kind > 2u) {
        bend[1] *= 0.9 + 0.1 * gust;
    }
    return mul(bend, world);
}

float attenuate(float range, float reach) {
    float d = range / max(reach, 1e-3);
    return saturate(1.0 - d * d) / (FALLOFF[0] + FALLOFF[1] * d + FALLOFF[2] * d * d);
}

float3 lit(Leaf leaf, float3 normal, out float behind) {
    float3 sum = 0;
    behind = 0;
    [unroll]
    for (int i = 0; i < LAMPS; i++) {
        Lamp lamp = lamps[i];
        float3 way = lamp.place - leaf.world;
        float range = length(way);
        if (range > lamp.reach) {
            continue;
        }
        float facing = dot(normal, way / range);
        sum += lamp.color.rgb * max(facing, 0.0) * attenuate(range, lamp.reach);
        behind = max(behind, -facing * lamp.color.a);
    }
    return sum;
}

float shadow(float4 place) {
    float sum = 0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            float2 at = place.xy * 0.5 + 0.5 + float2(x, y) / 2048.0;
            sum += shadows.SampleCmpLevelZero(compare, at, place.z);
        }
    }
    return sum / 9.0;
}

// The place of a leaf that is lit from behind in the list of this frame.
uint glowing(float behind, uint kind) {
    uint index = 0;
    if (behind > 0.8) {
        counters.InterlockedAdd(4 * (kind & 7), 1, index);
    }
    return index;
}

float4 tint(uint kind, float3 world) {
    float4 color;
    switch (season) {
        case 0:
            color = tints[kind & 3];
            break;
        case 1:
            color = lerp(tints[0], tints[1], hash(world.xz));
            break;
        default:
            color = float4(0.5, 0.4, 0.3, 1.0);
            break;
    }
    return color;
}

Shaded main(Leaf leaf, bool front : SV_IsFrontFace) {
    Shaded result = (Shaded)0;
    float4 texel = leaves.Sample(smooth, leaf.uv);
    clip(texel.a - 0.5);
    float3 moved = sway(leaf.world, leaf.kind);
    float3 normal = normalize(front ? leaf.normal : -leaf.normal);
    float behind;
    float3 light = lit(leaf, normal, behind);
    light += sky.SampleLevel(smooth, normal, 5.0).rgb * (night ? 0.05 : 0.6);
    light *= shadow(mul(projection, mul(view, float4(moved, 1.0))));
    result.color = texel * tint(leaf.kind, moved) * float4(light, 1.0);
    result.glow.rgb = texel.rgb * pow(saturate(behind), 4.0);
    result.glow.a = glowing(behind, leaf.kind) > 1000 || distance(eye.xyz, moved) > 50.0 ? 0.0 : 1.0;
    return result;
}
